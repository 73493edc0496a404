/* What differs from one kind of processor to another. */
#ifndef FABRICAST_MACHINE_H
#define FABRICAST_MACHINE_H

#include <elf.h>

#if defined(__x86_64__)
#define FC_MACHINE EM_X86_64
#define FC_MACHINE_NAME "x86-64"
#define FC_RELOCATION(name, other) R_X86_64_##name
#define FC_STACK_POINTER(u) (u)->uc_mcontext.gregs[REG_RSP]
#define FC_PROGRAM_COUNTER(u) (u)->uc_mcontext.gregs[REG_RIP]
#define FC_ENTRY_OFFSET 8 /* of the stack pointer where a function begins, from a multiple of 16 */
#elif defined(__aarch64__)
#define FC_MACHINE EM_AARCH64
#define FC_MACHINE_NAME "arm64"
#define FC_RELOCATION(name, other) R_AARCH64_##other
#define FC_STACK_POINTER(u) (u)->uc_mcontext.sp
#define FC_PROGRAM_COUNTER(u) (u)->uc_mcontext.pc
#define FC_ENTRY_OFFSET 0
#define FC_R_TLS_DESCRIPTOR R_AARCH64_TLSDESC /* a function and its argument, as libstdc++ finds thread-local variables */
#endif

/* Compressed relocations, which older headers do not name. */
#define FC_DT_RELRSZ 35
#define FC_DT_RELR 36

#define FC_R_NONE FC_RELOCATION(NONE, NONE)
#define FC_R_ADDRESS FC_RELOCATION(64, ABS64)
#define FC_R_GLOB_DAT FC_RELOCATION(GLOB_DAT, GLOB_DAT)
#define FC_R_JUMP_SLOT FC_RELOCATION(JUMP_SLOT, JUMP_SLOT)
#define FC_R_RELATIVE FC_RELOCATION(RELATIVE, RELATIVE)
#define FC_R_INDIRECT FC_RELOCATION(IRELATIVE, IRELATIVE)
#define FC_R_TLS_MODULE FC_RELOCATION(DTPMOD64, TLS_DTPMOD)
#define FC_R_TLS_OFFSET FC_RELOCATION(DTPOFF64, TLS_DTPREL)

#endif
