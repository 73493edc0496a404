/* Linked into every program. It is a shared object, so that the simulator can load it; with
 * these it can also be executed, as build systems do with small programs to learn about the machine. */

#if defined(__x86_64__)
#define INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define INTERPRETER "/lib/ld-linux-aarch64.so.1"
#endif
const char fabricast_interpreter[] __attribute__((section(".interp"))) = INTERPRETER;

int main(int argc, char **argv, char **environment);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *end);

/* What the simulator calls. */
int fabricast_main(int argc, char **argv, char **environment) { return main(argc, argv, environment); }

/* Tells the program's own unwinder of exceptions, if it has one, where its tables are. */
void __register_frame(void *frames) __attribute__((weak));
void fabricast_register_frames(void *frames) {
  if (__register_frame) __register_frame(frames);
}

__attribute__((used)) void fabricast_begin(long *stack, void (*rtld_fini)(void)) {
  __libc_start_main(main, (int)stack[0], (char **)(stack + 1), 0, 0, rtld_fini, stack);
}

#if defined(__x86_64__)
__asm__(
    ".globl fabricast_start\n"
    "fabricast_start:\n"
    "  xor %ebp,%ebp\n"
    "  mov %rsp,%rdi\n"
    "  mov %rdx,%rsi\n"
    "  and $-16,%rsp\n"
    "  call fabricast_begin\n"
    "  hlt\n");
#elif defined(__aarch64__)
__asm__(
    ".globl fabricast_start\n"
    "fabricast_start:\n"
    "  mov x29,#0\n"
    "  mov x30,#0\n"
    "  mov x1,x0\n"
    "  mov x0,sp\n"
    "  bl fabricast_begin\n"
    "  brk #0\n");
#endif
