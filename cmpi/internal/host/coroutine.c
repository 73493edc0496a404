//go:build linux && amd64

/* Ranks as coroutines: each has a stack of its own, and control goes to and fro
 * between it and the simulator's thread that resumes it. */
#include "host.h"

/* The rank that runs on this thread. A rank may go on on another thread than
 * before, so functions that hand over must not read it twice. */
__thread fc_rank *fc_running;

/* Out of line, so that the address of the thread's variable is never kept over a switch. */
__attribute__((noinline)) fc_rank *fc_current(void) {
  fc_rank *r = fc_running;
  __asm__ volatile("" ::: "memory");
  return r;
}

/* Saves what a callee must keep, the rounding modes too, and goes to another stack. */
__asm__(
    ".text\n"
    ".globl fc_switch\n"
    ".type fc_switch,@function\n"
    "fc_switch:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  sub $8,%rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
    "  mov %rsp,(%rdi)\n"
    "  mov %rsi,%rsp\n"
    "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  add $8,%rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n"
    ".size fc_switch,.-fc_switch\n");

/* fc_pause hands over to the simulator and returns when it resumes the rank. */
void fc_pause(fc_rank *r, int why) {
  r->why = why;
  fc_switch(&r->sp, r->back);
  r->ops = 0;
  if (r->measured) fc_begin_computing(r);
}

/* fc_leave hands over for good. */
_Noreturn void fc_leave(fc_rank *r, int why) {
  for (;;) fc_pause(r, why);
}

/* fc_prepare lays out a new stack so that the first switch to it calls start. */
void fc_prepare(fc_rank *r, void (*start)(void)) {
  void **sp = (void **)(r->stack + r->stack_size);
  *--sp = 0; /* nobody to return to; keeps the stack aligned as after a call */
  *--sp = (void *)start;
  for (int i = 0; i < 6; i++) *--sp = 0;
  *--sp = 0;
  __asm__ volatile("stmxcsr (%0)\n fnstcw 4(%0)" ::"r"(sp) : "memory");
  r->sp = sp;
}

/* fc_resume lets a rank run until it hands over. */
void fc_resume(fc_rank *r, fc_op *list) {
  r->list = list;
  fc_running = r;
  fc_switch(&r->back, r->sp);
  fc_running = 0;
}
