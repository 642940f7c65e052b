target triple = "nvptx64-nvidia-cuda"
@tab = internal addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 -4], align 16
@tabd = internal addrspace(1) constant [2 x double] [double 1.5, double 2.5], align 16
@ctab = internal addrspace(4) constant [4 x i16] [i16 1, i16 2, i16 3, i16 -4], align 2
@dyn = external addrspace(3) global [0 x i8], align 16
@sm = internal addrspace(3) global [512 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare float @llvm.fma.f32(float,float,float)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.fshl.i32(i32,i32,i32)
declare i64 @llvm.fshl.i64(i64,i64,i64)
declare double @llvm.minnum.f64(double,double)
declare double @llvm.maximum.f64(double,double)
declare float @llvm.maximum.f32(float,float)
declare float @llvm.exp2.f32(float)
declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.copysign.f64(double,double)
declare double @llvm.floor.f64(double)
declare double @llvm.rint.f64(double)
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctlz.i64(i64,i1)
declare i32 @llvm.cttz.i32(i32,i1)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.smin.i32(i32,i32)
declare i64 @llvm.umax.i64(i64,i64)
declare i32 @llvm.abs.i32(i32,i1)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare {i32,i1} @llvm.uadd.with.overflow.i32(i32,i32)
define ptx_kernel void @k(ptr addrspace(1) noalias readonly align 16 %a, ptr addrspace(1) align 16 %b, i32 %n, i64 %m, double %al, <4 x i32> %vv, i16 %h, i8 %by, i1 %bo, {i32, double} %st) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %d = udiv i32 %t, 7
  %r = urem i32 %t, 12
  %sd = sdiv i32 %n, 7
  %i64 = zext i32 %d to i64
  %q = udiv i64 %m, 10
  %q2 = sdiv i64 %m, 8
  %q3 = srem i64 %m, %i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i64
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %v2 = load <2 x double>, ptr addrspace(1) %a, align 16
  %v8 = load <8 x half>, ptr addrspace(1) %a, align 16
  %b16 = load i16, ptr addrspace(1) %p
  %b8 = load i8, ptr addrspace(1) %p
  %s8 = sext i8 %b8 to i32
  %s16 = sext i16 %b16 to i64
  %x = extractelement <4 x float> %v, i32 0
  %y = extractelement <4 x float> %v, i32 3
  %f = call float @llvm.fma.f32(float %x,float %y,float %x)
  %cmp = icmp slt i32 %t, %n
  br i1 %cmp, label %T, label %E
T:
  %sp = getelementptr float, ptr addrspace(3) @sm, i32 %t
  store float %f, ptr addrspace(3) %sp
  %dp = getelementptr <4 x float>, ptr addrspace(3) @dyn, i32 %t
  store <4 x float> %v, ptr addrspace(3) %dp
  br label %E
E:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %fs = call i32 @llvm.fshl.i32(i32 %t,i32 %n,i32 %d)
  %rot = call i32 @llvm.fshl.i32(i32 %t,i32 %t,i32 %d)
  %fs6 = call i64 @llvm.fshl.i64(i64 %m,i64 %m,i64 13)
  %e0 = extractelement <2 x double> %v2, i32 0
  %e1 = extractelement <2 x double> %v2, i32 1
  %mn = call double @llvm.minnum.f64(double %e0,double %e1)
  %mx = call double @llvm.maximum.f64(double %mn,double %al)
  %sq = call double @llvm.sqrt.f64(double %mx)
  %ab = call double @llvm.fabs.f64(double %sq)
  %cs = call double @llvm.copysign.f64(double %ab,double %e0)
  %fl = call double @llvm.floor.f64(double %cs)
  %ri = call double @llvm.rint.f64(double %fl)
  %dv = fdiv double %ri, %e1
  %fi = fptosi double %dv to i32
  %fu = fptoui double %dv to i64
  %fsat = call i32 @llvm.fptosi.sat.i32.f64(double %dv)
  %if = sitofp i32 %fi to double
  %if2 = uitofp i64 %fu to float
  %fx = fpext float %if2 to double
  %ft = fptrunc double %if to float
  %neg = fneg float %ft
  %ex = call float @llvm.exp2.f32(float %neg)
  %sqf = call float @llvm.sqrt.f32(float %ex)
  %mxf = call float @llvm.maximum.f32(float %sqf,float %x)
  %dvf = fdiv float %mxf, %f
  %rcp = fdiv float 1.0, %dvf
  %rf = frem float %rcp, %f
  %pc = call i32 @llvm.ctpop.i32(i32 %t)
  %lz = call i64 @llvm.ctlz.i64(i64 %m,i1 0)
  %tz = call i32 @llvm.cttz.i32(i32 %t,i1 0)
  %bs = call i32 @llvm.bswap.i32(i32 %n)
  %br = call i32 @llvm.bitreverse.i32(i32 %n)
  %smi = call i32 @llvm.smin.i32(i32 %bs,i32 %br)
  %uma = call i64 @llvm.umax.i64(i64 %lz,i64 %m)
  %abs = call i32 @llvm.abs.i32(i32 %smi,i1 0)
  %bfe0 = lshr i32 %n, 5
  %bfe = and i32 %bfe0, 63
  %sh = shl i32 %bfe, %pc
  %an = and i32 %sh, %tz
  %xo = xor i32 %an, %abs
  %or = or i32 %xo, %rot
  %sel = select i1 %bo, i32 %or, i32 %fs
  %oc = fcmp olt float %x, %y
  %uc = fcmp une double %e0, %e1
  %uno = fcmp uno double %e0, %e1
  %aa = and i1 %oc, %uc
  %ax = xor i1 %aa, %uno
  %sel2 = select i1 %ax, double %mx, double %fx
  %zx = zext i1 %ax to i32
  %tabp = getelementptr i32, ptr addrspace(1) @tab, i32 %bfe
  %tv = load i32, ptr addrspace(1) %tabp
  %tabdp = getelementptr double, ptr addrspace(1) @tabd, i32 %bfe
  %tvd = load double, ptr addrspace(1) %tabdp
  %ctabp = getelementptr i16, ptr addrspace(4) @ctab, i32 %bfe
  %ctv = load i16, ptr addrspace(4) %ctabp
  %h2 = mul i16 %h, %ctv
  %h3 = ashr i16 %h2, 3
  %h4 = udiv i16 %h3, 9
  %hz = sext i16 %h4 to i32
  %by2 = add i8 %by, 3
  %byz = sext i8 %by2 to i32
  %st0 = extractvalue {i32,double} %st, 0
  %st1 = extractvalue {i32,double} %st, 1
  %ve = extractelement <4 x i32> %vv, i32 2
  %su0 = add i32 %sel, %zx
  %su1 = add i32 %su0, %tv
  %su2 = add i32 %su1, %hz
  %su3 = add i32 %su2, %byz
  %su4 = add i32 %su3, %ve
  %su5 = mul i32 %su4, %st0
  %su6 = add i32 %su5, %fsat
  %su7 = sub i32 %su6, %r
  %su8 = add i32 %su7, %sd
  %su9 = add i32 %su8, %s8
  %su10 = add i32 %su9, %l
  %l0 = add i64 %q, %q2
  %l1 = xor i64 %l0, %q3
  %l2 = mul i64 %l1, %uma
  %l3 = add i64 %l2, %s16
  %l4 = sub i64 %l3, %fs6
  %dd = fadd double %sel2, %tvd
  %dd2 = fmul double %dd, %st1
  store i32 %su10, ptr addrspace(1) %b
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 8
  store i64 %l4, ptr addrspace(1) %b1
  %b2 = getelementptr i8, ptr addrspace(1) %b, i64 16
  store double %dd2, ptr addrspace(1) %b2
  %b3 = getelementptr i8, ptr addrspace(1) %b, i64 24
  store float %rf, ptr addrspace(1) %b3
  %b4 = getelementptr i8, ptr addrspace(1) %b, i64 32
  %nb8 = trunc i32 %su9 to i8
  store i8 %nb8, ptr addrspace(1) %b4
  %b5 = getelementptr i8, ptr addrspace(1) %b, i64 34
  %nb16 = trunc i32 %su9 to i16
  store i16 %nb16, ptr addrspace(1) %b5
  %b6 = getelementptr i8, ptr addrspace(1) %b, i64 48
  store <4 x float> %v, ptr addrspace(1) %b6
  %w = bitcast i64 %l4 to <2 x i32>
  %w1 = extractelement <2 x i32> %w, i32 1
  %w0 = extractelement <2 x i32> %w, i32 0
  %wi0 = insertelement <2 x i32> poison, i32 %w1, i32 0
  %wi1 = insertelement <2 x i32> %wi0, i32 %w0, i32 1
  %wb = bitcast <2 x i32> %wi1 to double
  %b7 = getelementptr i8, ptr addrspace(1) %b, i64 64
  store double %wb, ptr addrspace(1) %b7
  %un = icmp eq i32 %n, 77
  br i1 %un, label %X, label %Y
X:
  unreachable
Y:
  ret void
}
