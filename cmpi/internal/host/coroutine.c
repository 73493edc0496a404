//go:build linux && (amd64 || arm64)

/* Ranks as coroutines: each has a stack of its own, and control goes to and fro
 * between it and the simulator's thread that resumes it. */
#pragma GCC optimize("O2") /* on the way of every message; see host.go */
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

/* fc_switch saves what a callee must keep, the rounding modes too, and goes to another stack. fc_prepare lays out a new
 * stack so that the first switch to it calls start. */
#if defined(__x86_64__)
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

void fc_prepare(fc_rank *r, void (*start)(void)) {
  void **sp = (void **)(r->stack + r->stack_size);
  *--sp = 0; /* nobody to return to; keeps the stack aligned as after a call */
  *--sp = (void *)start;
  for (int i = 0; i < 6; i++) *--sp = 0;
  *--sp = 0;
  __asm__ volatile("stmxcsr (%0)\n fnstcw 4(%0)" ::"r"(sp) : "memory");
  r->sp = sp;
}
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl fc_switch\n"
    ".type fc_switch,%function\n"
    "fc_switch:\n"
    "  sub sp,sp,#176\n"
    "  stp x19,x20,[sp]\n  stp x21,x22,[sp,#16]\n  stp x23,x24,[sp,#32]\n  stp x25,x26,[sp,#48]\n  stp x27,x28,[sp,#64]\n  stp x29,x30,[sp,#80]\n"
    "  stp d8,d9,[sp,#96]\n  stp d10,d11,[sp,#112]\n  stp d12,d13,[sp,#128]\n  stp d14,d15,[sp,#144]\n"
    "  mrs x9,fpcr\n  str x9,[sp,#160]\n"
    "  mov x9,sp\n  str x9,[x0]\n"
    "  mov sp,x1\n"
    "  ldr x9,[sp,#160]\n  msr fpcr,x9\n"
    "  ldp x19,x20,[sp]\n  ldp x21,x22,[sp,#16]\n  ldp x23,x24,[sp,#32]\n  ldp x25,x26,[sp,#48]\n  ldp x27,x28,[sp,#64]\n  ldp x29,x30,[sp,#80]\n"
    "  ldp d8,d9,[sp,#96]\n  ldp d10,d11,[sp,#112]\n  ldp d12,d13,[sp,#128]\n  ldp d14,d15,[sp,#144]\n"
    "  add sp,sp,#176\n"
    "  ret\n"
    ".size fc_switch,.-fc_switch\n");

void fc_prepare(fc_rank *r, void (*start)(void)) {
  uint64_t *sp = (uint64_t *)(r->stack + r->stack_size - 176);
  __asm__ volatile("mrs %0,fpcr" : "=r"(sp[20]));
  sp[11] = (uintptr_t)start; /* x30 */
  r->sp = sp;
}
#endif

/* fc_pause hands over to the simulator and returns when it resumes the rank. Before that the rank may be asked to do something (fc_do). */
void fc_pause(fc_rank *r, int why) {
  r->why = why;
  fc_switch(&r->sp, r->back);
  while (r->task) {
    r->task(r->task_argument);
    r->task = 0;
    fc_switch(&r->sp, r->back);
  }
  r->ops = 0;
  if (r->measured) fc_begin_computing(r);
  if (r->alarm_at) fc_ring(r);
}

/* fc_leave hands over for good. */
_Noreturn void fc_leave(fc_rank *r, int why) {
  for (;;) fc_pause(r, why);
}

/* Lets a rank run on its own stack. */
static void go(fc_rank *r) {
  if (r->folder) fc_enter_folder(r);
  fc_running = r;
  fc_switch(&r->back, r->sp);
  fc_running = 0;
  if (r->folder) fc_leave_folder();
}

/* fc_do lets a rank that has handed over do something on its own stack, where mistakes of the program are caught. It returns 0 if
 * the rank did not come back from that: it has ended, or wants to wait, which it must not. */
int fc_do(fc_rank *r, void (*task)(void *), void *argument) {
  r->task = task, r->task_argument = argument;
  go(r);
  if (!r->task) return 1;
  r->task = 0;
  if (r->why < FC_EXIT) {
    static char refused[] = "was called by the operation of a reduction, which must not communicate";
    r->why = FC_FAILED, r->message = refused;
  }
  return 0;
}

/* fc_resume lets a rank run until it hands over. */
void fc_resume(fc_rank *r, fc_op *list) {
  r->list = list;
  go(r);
}
