; Arithmetic and conversions of half and bfloat, single and in pairs.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)
declare half @llvm.maximum.f16(half, half)

; out = max(a * b + c, -c) in pairs, of f16 and then of the sum as f32.
define ptx_kernel void @half_pairs(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, ptr addrspace(1) %wide) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr <2 x half>, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr <2 x half>, ptr addrspace(1) %b, i32 %i
  %po = getelementptr <2 x half>, ptr addrspace(1) %out, i32 %i
  %pw = getelementptr <2 x float>, ptr addrspace(1) %wide, i32 %i
  %x = load <2 x half>, ptr addrspace(1) %pa
  %y = load <2 x half>, ptr addrspace(1) %pb
  %s = fadd <2 x half> %x, %y
  %d = fsub <2 x half> %x, %y
  %p = fmul <2 x half> %s, %d
  %n = fneg <2 x half> %p
  %f = call <2 x half> @llvm.fma.v2f16(<2 x half> %n, <2 x half> %x, <2 x half> %y)
  %c = fcmp olt <2 x half> %f, %y
  %r = select <2 x i1> %c, <2 x half> %y, <2 x half> %f
  store <2 x half> %r, ptr addrspace(1) %po
  %w = fpext <2 x half> %r to <2 x float>
  store <2 x float> %w, ptr addrspace(1) %pw
  ret void
}

; out = bf16(a * b + c) from single precision; whole = its integral part.
define ptx_kernel void @brain(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, ptr addrspace(1) %whole) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr double, ptr addrspace(1) %b, i32 %i
  %po = getelementptr bfloat, ptr addrspace(1) %out, i32 %i
  %pw = getelementptr i32, ptr addrspace(1) %whole, i32 %i
  %x = load float, ptr addrspace(1) %pa
  %y = load double, ptr addrspace(1) %pb
  %xb = fptrunc float %x to bfloat
  %yb = fptrunc double %y to bfloat
  %n = sitofp i32 %i to bfloat
  %f = call bfloat @llvm.fma.bf16(bfloat %xb, bfloat %yb, bfloat %n)
  store bfloat %f, ptr addrspace(1) %po
  %w = fptosi bfloat %f to i32
  store i32 %w, ptr addrspace(1) %pw
  ret void
}
