; Allocates blocks of scratch memory to the SIMD-groups of a core. Runs in one lane, with at most 32 half registers and no stack.
;
; The argument is an address. Word 0 there is the number of SIMD-groups per core for which there are blocks. From byte 16 on there are
; 16 bytes for each core: the address of its list of blocks, and the number of allocated entries. An entry of the list has four words,
; the operands of `map`.
    ldimm16 r0l, 0
    mfsr r2, helper_arg_low
    mfsr r3, helper_arg_high
    mfsr r4, core_index
    iadd r4, r4, 1
    iadd r4, 0, r4, shift 2
    load.i32.x r5, r2_r3, 0                     ; r5: SIMD-groups per core
    load.i32.xy r6_r7, r2_r3, r4                ; r6_r7: the list
    iadd r4, r4, 2                              ; r4: index of the number of allocated entries
    wait 0
next:
    jmp_if_skipping_doorbell asked
    doorbell 32
asked:
    mfsr r8, helper_op
    if_icmp.ueq r8, 0, nest 1
    jmp_none not_allocate
    load.i32.x r9, r2_r3, r4
    wait 0
    if_icmp.ult r9, r5, nest 1
    jmp_none all_given
    iadd r10, 0, r9, shift 2
    load.i32.xyzw r12_r13_r14_r15, r6_r7, r10
    iadd r9, r9, 1
    store.i32.x r9, r2_r3, r4
    wait 0
    map r12, 0
    map r13, 1
    map r14, 2
    map r15, 3
    doorbell 48
all_given:
    else_exec nest 1
    jmp_none allocated
    doorbell 49
allocated:
    pop_exec nest 1
not_allocate:
    else_exec nest 1
    jmp_none done
    if_icmp.ueq r8, 1, nest 1
    jmp_none not_free
    load.i32.x r9, r2_r3, r4
    wait 0
    if_icmp.ugt r9, 0, nest 1
    jmp_none none_given
    isub r9, r9, 1
    store.i32.x r9, r2_r3, r4
    iadd r10, 0, r9, shift 2
    unmap r12, 0
    unmap r13, 1
    unmap r14, 2
    unmap r15, 3
    store.i32.xyzw r12_r13_r14_r15, r6_r7, r10
    wait 0
    doorbell 48
none_given:
    else_exec nest 1
    jmp_none freed
    doorbell 49
freed:
    pop_exec nest 1
not_free:
    else_exec nest 1
    jmp_none done_other
    if_icmp.ueq r8, 15, nest 1
    jmp_none refuse
    memory_barrier
    stop
refuse:
    else_exec nest 1
    jmp_none refused
    doorbell 49
refused:
    pop_exec nest 1
done_other:
    pop_exec nest 1
done:
    pop_exec nest 1
    jmp_any next
    stop
; As after every program: the hardware reads ahead.
    trap
    trap
    trap
    trap
    trap
    trap
    trap
    trap
