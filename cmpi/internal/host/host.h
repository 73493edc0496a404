/* What the parts of the host of C programs share. The layout of structs marked
 * "mirrored" is repeated in layout.go. */
#ifndef FABRICAST_HOST_H
#define FABRICAST_HOST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi.h"

/* An operation that a rank leaves for the node. Mirrored. */
typedef struct {
  int32_t kind;    /* FC_SEND and so on */
  int32_t peer;    /* send: world rank of the destination; receive: source in the communicator, -1 any */
  int32_t self;    /* send: the sender's rank in its communicator */
  int32_t tag;     /* -1: any */
  int32_t context;
  int32_t omit;    /* deliver sizes only */
  int64_t size;    /* bytes; compute: ps */
  void *data;
  struct fc_request *request;
  /* one-sided: peer is a world rank, context the number of its region, self the sender in a notice's context */
  int64_t place;       /* byte of the region; sends: fc_mark */
  void *result;        /* FC_CANCEL_SEND: the send */
  int64_t result_size; /* sends, puts and accumulates: options, see fc_options_word */
  int32_t op, type;    /* of accumulates; exclusive locks: op is 1; sends: op is the message's name, see fc_request */
  const void *layout;  /* fc_type of memory with gaps; null: it is one run */
} fc_op;

enum { FC_SEND = 1, FC_RECV, FC_COMPUTE, FC_SSEND, FC_PUT, FC_GET, FC_ACCUMULATE, FC_EXCHANGE, FC_SWAP, FC_LOCK, FC_UNLOCK, FC_NOTICE, FC_HEAR, FC_PUT_TAGGED, FC_POLL, FC_UNREGISTER,
  FC_SEND_WHOLE, /* a send, and the wait for it: the rank has gone on, for that needs nobody else */
  FC_CANCEL_SEND };

/* Why a rank handed over. Mirrored. */
enum {
  FC_SYNC,      /* only to have its operations done */
  FC_WAIT_ALL,  /* until all of waits are complete */
  FC_WAIT_ANY,  /* until one of waits is */
  FC_TEST,      /* is one of waits complete by now? */
  FC_PROBE,
  FC_IPROBE,
  FC_COLLECTIVE, /* run call, and go on when it is done */
  FC_START,      /* start call in the background; its request is complete when it is done */
  FC_CONTEXT,    /* register a communicator */
  FC_REGISTER,   /* open memory to other ranks */
  FC_CANCEL,    /* take back a receive */
  FC_PREFER,    /* the text that call sends names a collective and its algorithm */
  FC_SETTLE,     /* take those of waits that are complete by now */
  FC_ATTACH,     /* tell other processes what call sends: the memory attached to a window */
  FC_EXIT,
  FC_ABORT,
  FC_FAILED,
  FC_CRASHED,
};

/* What a met receive tells. Mirrored: node.Status and more. */
typedef struct {
  int32_t source, tag;
  int64_t size;
  uint64_t mark; /* see fc_mark */
} fc_status;

/* A request of the program. Mirrored up to hidden. */
typedef struct fc_request {
  uint32_t node;     /* the node's name for it; 0: none */
  int32_t done;      /* it needs no more waiting */
  fc_status status;  /* of a receive, once it is done */
  int64_t capacity;  /* bytes of the buffer */
  int64_t strand;    /* collective in the background, 0: none */
  /* hidden from the simulator */
  int32_t handle;
  uint8_t kind, active, persistent, orphan, cancelled, proc_null, mode, owned, holds, fetches; /* holds: its type, as long as it can be started; fetches: packed goes to buf */
  MPI_Comm comm;
  MPI_Datatype type;
  int count, peer, tag;
  uint32_t name;     /* of a send that can be taken back, among the rank's; 0: none */
  uint32_t turn;     /* see exchange.c */
  uint64_t mark;     /* of a send: fc_mark of what the program has sent, if this is not that; 0: it is */
  void *buf;         /* the user's */
  void *packed;      /* in its place for types with gaps */
  struct fc_finish *finish;
  struct fc_window *window; /* in which an access is under way that the program has a handle of */
  struct fc_type *layout;   /* of the target's memory, while it is needed */
  struct fc_request *next;
  void *grequest;
} fc_request;

enum { FC_REQUEST_SEND = 1, FC_REQUEST_RECV, FC_REQUEST_COLLECTIVE, FC_REQUEST_GENERAL, FC_REQUEST_ACCESS };

/* What a collective is told. Mirrored. */
typedef struct fc_call {
  int32_t what;        /* FC_BARRIER and so on */
  int32_t context;
  int32_t rank, size, root; /* root: of a split its number among those of the communicator */
  int32_t omit;
  int32_t sequence;    /* 0: blocking; otherwise its number among those of the communicator */
  int32_t elem;        /* bytes of a reduction's elements */
  int32_t commutative;
  int32_t color, key;  /* split */
  const int32_t *ranks; /* world ranks; null: the world's own */
  const void *send;
  void *recv;
  int64_t send_size, recv_size;
  const int64_t *send_counts, *send_offsets, *recv_counts, *recv_offsets; /* bytes */
  struct fc_rank *owner;
  MPI_Op op;
  MPI_Datatype type;
  /* outcome of FC_SPLIT and FC_CONTEXT */
  int32_t *new_ranks;  /* allocated; belongs to the world. FC_WINDOW: a place for a pointer of each rank */
  int32_t new_context, new_size, new_rank;
  int32_t new_local; /* FC_DUPLICATE: context of the local group's own communicator */
  struct fc_request *request;
  /* intercommunicator */
  const int32_t *remote; /* world ranks of the other group; null: no intercommunicator */
  int32_t remote_size, send_context, local_context;
  int32_t new_send;      /* FC_DUPLICATE */
  /* a message that did not fit: its bytes, those that were expected, its sender; 0: all did */
  int64_t cut_size, cut_room;
  int32_t cut_source;
  int32_t signature;     /* of what the rank gives, and predefined type << 16; 0: it gives nothing */
  /* neighbours, as ranks of the communicator or MPI_PROC_NULL */
  const int32_t *sources, *destinations;
  int32_t nsources, ndestinations;
  int64_t site;          /* where the program called, in its image */
  /* types, where parts may have their own: what the rank gives, as fc_mark, and takes, like signature */
  uint64_t mark;
  const uint64_t *marks; /* of each part; null: of all */
  const int32_t *takes;
  int32_t taken;
  /* what it has taken for something else: the other's mark, world rank and bytes; 0: nothing */
  int32_t wrong_source, wrong_taken;
  uint64_t wrong_mark;
  int64_t wrong_bytes;
  const char *name;      /* of the function */
} fc_call;

enum {
  FC_BARRIER = 1, FC_BCAST, FC_GATHER, FC_SCATTER, FC_ALLGATHER, FC_ALLTOALL, FC_REDUCE, FC_ALLREDUCE,
  FC_REDUCE_SCATTER, FC_GATHERV, FC_SCATTERV, FC_ALLGATHERV, FC_ALLTOALLV, FC_REDUCE_SCATTERV, FC_SCAN, FC_EXSCAN, FC_SPLIT, FC_WINDOW, FC_DUPLICATE, FC_NEIGHBOUR,
  FC_ORDERED, /* one-sided operations in send, as many as send_size, one after the other, once the requests in recv, as many as recv_size, are done */
};

#define FC_BATCH 128 /* operations that a rank leaves at once */
#define FC_SMALL 64  /* bytes of an FC_SEND_WHOLE at most; the list is followed by so many for each operation */

/* What is under way in the innermost region of OpenMP. */
typedef struct {
  long begin, end;            /* of a loop, to be handed out if pending */
  void *memory;               /* lent to a loop or sections */
  unsigned section, sections; /* handed out, in all */
  int pending, level;
} fc_region;

/* Threads that a rank has started. */
typedef struct {
  int64_t time;     /* ns of the processor that those that have ended took, not yet charged */
  int32_t running;
  int32_t team;     /* started since none was running; of a team each is charged a share */
} fc_threads;

/* A rank as the simulator sees it. Mirrored up to hidden. */
typedef struct fc_rank {
  int32_t id, size;
  int32_t why;              /* it handed over */
  int32_t ops;              /* how many operations it left */
  fc_op *list;              /* the block's */
  struct fc_request **waits;
  int64_t nwaits;
  /* probe */
  int32_t source, tag, context, flag; /* flag: the answer of a test, probe, or cancel */
  fc_status status;
  int64_t clock;            /* ps, when it was last resumed */
  int64_t index;            /* of waits: which is complete, -1: none */
  fc_call *call;
  char *message;            /* FC_FAILED, FC_ABORT, FC_CRASHED */
  int64_t code;             /* FC_EXIT, FC_ABORT */
  const char *name;         /* of the MPI function last called */
  int32_t initialized, finalized;
  int32_t leaks;            /* requests that were never completed, counted at the end */
  int32_t omit;             /* messages carry sizes only */
  int32_t self_context;     /* of MPI_COMM_SELF */
  int32_t host;
  int32_t nics;             /* of its host */
  int32_t most;             /* packet times of a gap */
  int32_t small;            /* bytes of messages that it may leave as FC_SEND_WHOLE; -1: none */
  int64_t fault;            /* FC_CRASHED: 1 + where in its copy of the program, 0 if not there */
  /* hidden from the simulator */
  void *sp;                 /* saved stack pointer */
  void *back;               /* the caller's */
  char *stack;
  size_t stack_size;
  char *image;              /* where its copy of the program lies */
  struct fc_job *job;
  char *tls;
  struct fc_state *mpi;
  struct fc_exits *exits;
  void *out;                /* lines not yet complete */
  void *err;
  int32_t exit_code, exiting;
  int64_t since;            /* processor time at which the program got control, if that is measured */
  int32_t measured;         /* computation takes the time that it takes here */
  struct Fabricast_Loop *loop; /* the innermost whose iteration is under way */
  int64_t read_at, reading_since; /* ps: when it last read the clock, and since when it does nothing else */
  int32_t readings;         /* of the clock at one time */
  int32_t waited;           /* readings since then, with nothing in between that takes time */
  int32_t team;             /* threads that the region of OpenMP would have whose computation is measured; 0, 1: it is the rank's own */
  int32_t team_next;        /* threads of regions from now on; 0: as the environment says */
  fc_threads threads;
  int64_t options;          /* of messages that it sends, see fc_options_word */
  struct fc_accesses *accesses;
  struct fc_acp *acp;
  struct fc_exchange *exchange; /* of large messages; null: none yet */
  void (*task)(void *);     /* what it shall do before it goes on, see fc_do */
  void *task_argument;
  int32_t implicit;         /* it has begun without calling MPI_Init */
  int32_t tools;            /* how often it has begun to use the tools' interface */
  char *site;               /* where the function last called returns to */
  int32_t inside;           /* it is in that function */
  int32_t fate;             /* why it hands over after a mistake: FC_FAILED or FC_CRASHED */
  const void *examined;     /* memory that is being checked, see memory.c */
  int64_t examined_size;
  int32_t examined_how;
  char *folder;             /* it is in, if it has gone to one of its own */
  int64_t alarm_at, alarm_every; /* ps; 0: never */
  fc_region region;         /* of OpenMP */
  char arena[320];
} fc_rank;

/* coroutine.c */
int fc_do(fc_rank *r, void (*task)(void *), void *argument);
void fc_resume(fc_rank *r, fc_op *list);
extern __thread fc_rank *fc_running;
fc_rank *fc_current(void);
void fc_switch(void **save, void *to);
void fc_pause(fc_rank *r, int why);
_Noreturn void fc_leave(fc_rank *r, int why);

/* clock.c, alarm.c, folder.c */
void fc_pass(fc_rank *r, int64_t ps);
void fc_ring(fc_rank *r);
int64_t fc_time_to_alarm(fc_rank *r, int64_t ps);
void fc_begin_folders(void);
void fc_enter_folder(const fc_rank *r);
void fc_leave_folder(void);

/* p2p.c */
void fc_push(fc_rank *r, fc_op op);

/* exchange.c */
enum { FC_LARGE = 64 << 10 };
void fc_exchange_send(fc_rank *r, fc_request *q, int peer);
void fc_exchange_block(fc_rank *r, const fc_request *q, int peer);
void fc_exchange_begin(fc_rank *r, fc_request *q);
void fc_exchange_receive(fc_rank *r, const fc_request *q, int peer);

/* output.c */
void fc_print(fc_rank *r, int which, const char *p, size_t n);
void fc_leave_output(void);

/* process.c */
_Noreturn void fc_exit(int code);
void fc_process_begin(fc_rank *r);
_Noreturn void fc_crash(fc_rank *r, const char *format, ...);
void fc_flush_lines(fc_rank *r);
int64_t fc_now(fc_rank *r);

/* time.c */
void fc_begin_computing(fc_rank *r);
void fc_end_computing(fc_rank *r);

/* shared.c */
int fc_is_shared(const void *p);

/* loader.c */
typedef struct fc_job fc_job;
void *fc_symbol(const char *name);
int fc_needs_answers(const char *name);
int fc_may_cancel(const char *name);

/* error.c */
int fc_error(fc_rank *r, MPI_Comm comm, int code, const char *format, ...);
_Noreturn void fc_fail(fc_rank *r, const char *format, ...);

#endif
