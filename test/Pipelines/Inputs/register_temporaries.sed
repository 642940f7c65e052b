# Lets a device use the temporaries of a product, which lie in the host's memory.
s/%\(alloc[_0-9]*\) = memref.alloc() {alignment = 64 : i64} : \(memref<[^ ]*\)/&\n    %any_\1 = memref.cast %\1 : \2 to memref<*x!\2>\n    gpu.host_register %any_\1 : memref<*x!\2>/;s/x!memref<[^ ]*x\([a-z0-9]*\)>>/x\1>/g
