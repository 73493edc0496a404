//go:build linux && arm64

/* Thread-local variables by descriptors, which libstdc++ uses: a function, and its argument. */
#include "job.h"

/* fc_tls_offset is how far a variable lies from the thread's own block, to which callers add it. */
__attribute__((used, visibility("hidden"))) intptr_t fc_tls_offset(const size_t *descriptor) {
  size_t index[2] = {0, descriptor[1]};
  return (char *)fc_tls_get_addr(index) - (char *)__builtin_thread_pointer();
}

/* fc_tls_descriptor is fc_tls_offset for callers that expect all other registers to stay as they are (ELF for the Arm 64-bit Architecture, TLS descriptors). */
#define FC_PAIRS(do) do(0, 1) do(2, 3) do(4, 5) do(6, 7) do(8, 9) do(10, 11) do(12, 13) do(14, 15) do(16, 17) do(18, 19) do(20, 21) do(22, 23) do(24, 25) do(26, 27) do(28, 29) do(30, 31)
#define FC_KEEP(a, b) "  stp q" #a ", q" #b ", [sp, #16 * " #a "]\n"
#define FC_BRING(a, b) "  ldp q" #a ", q" #b ", [sp, #16 * " #a "]\n"
__asm__(
    ".text\n"
    ".globl fc_tls_descriptor\n"
    ".hidden fc_tls_descriptor\n"
    ".type fc_tls_descriptor, %function\n"
    "fc_tls_descriptor:\n"
    "  stp x29, x30, [sp, #-176]!\n"
    "  mov x29, sp\n"
    "  stp x1, x2, [sp, #16]\n"
    "  stp x3, x4, [sp, #32]\n"
    "  stp x5, x6, [sp, #48]\n"
    "  stp x7, x8, [sp, #64]\n"
    "  stp x9, x10, [sp, #80]\n"
    "  stp x11, x12, [sp, #96]\n"
    "  stp x13, x14, [sp, #112]\n"
    "  stp x15, x16, [sp, #128]\n"
    "  stp x17, x18, [sp, #144]\n"
    "  sub sp, sp, #512\n" FC_PAIRS(FC_KEEP)
    "  bl fc_tls_offset\n" FC_PAIRS(FC_BRING)
    "  add sp, sp, #512\n"
    "  ldp x1, x2, [sp, #16]\n"
    "  ldp x3, x4, [sp, #32]\n"
    "  ldp x5, x6, [sp, #48]\n"
    "  ldp x7, x8, [sp, #64]\n"
    "  ldp x9, x10, [sp, #80]\n"
    "  ldp x11, x12, [sp, #96]\n"
    "  ldp x13, x14, [sp, #112]\n"
    "  ldp x15, x16, [sp, #128]\n"
    "  ldp x17, x18, [sp, #144]\n"
    "  ldp x29, x30, [sp], #176\n"
    "  ret\n");
