/* The basic layer of ACP (Advanced Communication Primitives): global addresses, copies and atomic
 * operations on the memory of all ranks. */
#ifndef FABRICAST_ACP_H
#define FABRICAST_ACP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t acp_ga_t;     /* an address in the memory of a rank; bytes may be added to it */
typedef uint64_t acp_atkey_t;  /* memory that a rank has registered */
typedef int64_t acp_handle_t;  /* a copy or an atomic operation that has been started */

#define ACP_GA_NULL ((acp_ga_t)0)
#define ACP_ATKEY_NULL ((acp_atkey_t)0)
#define ACP_HANDLE_NULL ((acp_handle_t)0)   /* order: at once. Outcome: it could not be started */
#define ACP_HANDLE_ALL ((acp_handle_t)-1)   /* all that have been started */
#define ACP_HANDLE_CONT ((acp_handle_t)-2)  /* order: after the one before */

/* Functions return 0, or -1 if they fail. */
int acp_init(int *argc, char ***argv);
int acp_finalize(void);
int acp_reset(int rank);
void acp_abort(const char *message);
int acp_sync(void); /* a barrier */
int acp_rank(void);
int acp_procs(void);
int acp_colors(void);

acp_ga_t acp_query_starter_ga(int rank); /* memory that every rank has from the beginning */
acp_atkey_t acp_register_memory(void *address, size_t size, int color);
int acp_unregister_memory(acp_atkey_t key);
acp_ga_t acp_query_ga(acp_atkey_t key, void *address);
void *acp_query_address(acp_ga_t ga); /* null if it is another rank's */
int acp_query_rank(acp_ga_t ga);
int acp_query_color(acp_ga_t ga);

/* Operations are begun when those up to the handle order are complete. */
acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size, acp_handle_t order);
/* The word at src is changed; what it was before goes to dst. */
acp_handle_t acp_cas4(acp_ga_t dst, acp_ga_t src, uint32_t old_value, uint32_t new_value, acp_handle_t order);
acp_handle_t acp_cas8(acp_ga_t dst, acp_ga_t src, uint64_t old_value, uint64_t new_value, acp_handle_t order);
acp_handle_t acp_swap4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_swap8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_add4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_add8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_xor4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_xor8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_or4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_or8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_and4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_and8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

int acp_complete(acp_handle_t handle); /* waits until all up to the handle are complete */
int acp_inquire(acp_handle_t handle);  /* 0 if they are by now, else 1 */

#ifdef __cplusplus
}
#endif
#endif
