// What the shared library has for programs in C and C++.
#ifdef __cplusplus
void hand_on(int rank); // throws std::runtime_error
extern thread_local int local;
extern "C" {
#else
extern _Thread_local int local;
#endif
extern int exported;
int total(int rank);
#ifdef __cplusplus
}
#endif
