//go:build cgo && linux && (amd64 || arm64)

package host

// Most of the C code runs seldom, and is compiled with every first build: at -O1, without debug
// information, that takes half the time. Files on the way of every message ask for -O2.

/*
#cgo CFLAGS: -g0 -O1 -std=gnu11 -Wall -Wno-unused-parameter -fstack-clash-protection
#cgo LDFLAGS: -ldl -lpthread
#cgo noescape fc_resume_at
#cgo nocallback fc_resume_at
#cgo noescape fc_combine_as
#cgo nocallback fc_combine_as
#cgo noescape fc_combine_basic
#cgo noescape fc_scatter
#cgo nocallback fc_scatter
#cgo noescape fc_gather
#cgo nocallback fc_gather
#cgo nocallback fc_combine_basic
#include <stdlib.h>
#include "host.h"
fc_job *fc_load(const char *path, int ranks, size_t stack_size, int argc, char **argv);
const char *fc_load_error(fc_job *j);
int fc_load_unfit(fc_job *j);
int fc_job_answers(fc_job *j);
void fc_job_options(fc_job *j, int prefix, int omit, double speed, int sampled);
void fc_redirect(int out);
const int64_t *fc_hold_output(fc_job *j);
void fc_release_output(int64_t until);
void fc_release_old_output(void);
void fc_mute_output(int);
void fc_leave_output(void);
void fc_job_check_types(fc_job *j, int what);
void fc_job_saved(fc_job *j, int saved);
char *fc_job_mismatch(fc_job *j, int n, int64_t *site, int64_t *times, int *rank, char **key);
int fc_signatures_match(int a, int b, int64_t bytes);
const char *fc_op_name(MPI_Op op);
void fc_describe_type(int basic, int number, char *text, size_t room);
fc_rank *fc_rank_new(fc_job *j, int id);
typedef struct fc_blocked fc_blocked;
const fc_blocked *fc_exchange_list(const fc_rank *r, int *n);
int fc_job_teams(fc_job *j);
uintptr_t fc_combine_as(fc_rank *r, MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t count);
uintptr_t fc_scatter(MPI_Op op, const void *layout, char *data, char *memory, int64_t bytes);
uintptr_t fc_gather(const void *layout, char *data, const char *memory, int64_t bytes);
uintptr_t fc_combine_basic(MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t bytes);

// Addresses as numbers: cgo looks at pointers to see whether they are Go's, which these never are.
static inline void fc_resume_at(uintptr_t rank, uintptr_t list) { fc_resume((fc_rank *)rank, (fc_op *)list); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Missing returns an error that says why C programs cannot run; nil if they can.
func Missing() error { return nil }

// Job is a program that has been loaded for a number of ranks. It lives as long as the process.
type Job struct{ c *C.fc_job }

// Load loads a program built by the wrapper compilers. Each rank gets a stack of at most stack
// bytes.
func Load(path string, args []string, ranks, stack int) (*Job, error) {
	argv := unsafe.Slice(
		(**C.char)(C.calloc(C.size_t(len(args)+1), C.size_t(unsafe.Sizeof(uintptr(0))))),
		len(args)+1,
	)
	for i, a := range args {
		argv[i] = C.CString(a)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	j := C.fc_load(name, C.int(ranks), C.size_t(stack), C.int(len(args)), &argv[0])
	if text := C.GoString(C.fc_load_error(j)); text != "" {
		if C.fc_load_unfit(j) != 0 {
			return nil, &UnfitError{text}
		}
		return nil, errors.New(text)
	}
	return &Job{j}, nil
}

// Options sets options of a job. prefix: lines of output begin with their rank. omit: messages
// carry no contents. speed: ps of simulated time per ns of host time (0: computation takes none).
// sampled: only in sampled loops.
func (j *Job) Options(prefix, omit bool, speed float64, sampled bool) {
	flag := map[bool]C.int{true: 1}
	C.fc_job_options(j.c, flag[prefix], flag[omit], C.double(speed), flag[sampled])
}

// CheckTypes selects what happens if datatypes do not match: IgnoreTypes, TellTypes or FailTypes.
func (j *Job) CheckTypes(what int) { C.fc_job_check_types(j.c, C.int(what)) }

// Saved says whether the run leaves checkpoints, or goes on from one. What cannot be saved fails then.
func (j *Job) Saved(saved bool) { C.fc_job_saved(j.c, map[bool]C.int{true: 1}[saved]) }

// Mismatch returns mismatch number n of datatypes, in no particular order; nil if there are no
// more.
func (j *Job) Mismatch(n int) *Mismatch {
	var site, times C.int64_t
	var rank C.int
	var key *C.char
	text := C.fc_job_mismatch(j.c, C.int(n), &site, &times, &rank, &key)
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(key))
	return &Mismatch{C.GoString(text), int64(site), int64(times), int(rank), C.GoString(key)}
}

// Blocked returns which messages of others the rank received after sends of its own that block, one
// for each kind of wait. The list lies in C memory.
func (r *Rank) Blocked() []Blocked {
	var n C.int
	list := C.fc_exchange_list((*C.fc_rank)(unsafe.Pointer(r)), &n)
	return unsafe.Slice((*Blocked)(unsafe.Pointer(list)), int(n))
}

// Teams reports whether computation of teams of threads has been charged.
func (j *Job) Teams() bool { return C.fc_job_teams(j.c) != 0 }

// SameBytes reports whether a number of bytes have the same meaning under two signatures.
func SameBytes(a, b int32, bytes int64) bool {
	return C.fc_signatures_match(C.int(a), C.int(b), C.int64_t(bytes)) != 0
}

// Describe returns the name of a datatype, given by its number among the predefined ones, or 0, and
// by its signature.
func Describe(basic, signature int32) string {
	var text [256]C.char
	C.fc_describe_type(C.int(basic), C.int(signature), &text[0], C.size_t(len(text)))
	return C.GoString(&text[0])
}

// Answers reports whether the program refers to functions that may need the NICs of other hosts to
// answer.
func (j *Job) Answers() bool { return C.fc_job_answers(j.c) != 0 }

// Redirect makes the ranks print to the file descriptor fd instead of standard output.
func Redirect(fd uintptr) { C.fc_redirect(C.int(fd)) }

// HoldOutput holds back the output of the job's ranks until it is released. It returns the
// simulated time (ps) of the earliest output held back, to be read atomically; math.MaxInt64 if
// there is none.
func (j *Job) HoldOutput() *int64 { return (*int64)(unsafe.Pointer(C.fc_hold_output(j.c))) }

// ReleaseOutput writes, in order of time, the output from before a simulated time (ps).
func ReleaseOutput(until int64) { C.fc_release_output(C.int64_t(until)) }

// MuteOutput makes what ranks print be dropped, or ends that.
func MuteOutput(on bool) {
	n := C.int(0)
	if on {
		n = 1
	}
	C.fc_mute_output(n)
}

// ReleaseOldOutput writes the output held back if nothing has been released for some seconds.
func ReleaseOldOutput() { C.fc_release_old_output() }

// LeaveOutput writes the output held back when the process is about to end. It does not allocate
// memory in the C library.
func LeaveOutput() { C.fc_leave_output() }

// NewRank makes a rank. It starts when it is first resumed.
func (j *Job) NewRank(id int) *Rank {
	return (*Rank)(unsafe.Pointer(C.fc_rank_new(j.c, C.int(id))))
}

// NewList allocates the list of operations, which one rank at a time uses.
func NewList() *Op {
	return (*Op)(C.calloc(Batch, C.size_t(unsafe.Sizeof(Op{})+Small)))
}

// NewRanks allocates n world ranks in memory that the C side may keep.
func NewRanks(n int) []int32 {
	return unsafe.Slice((*int32)(C.calloc(C.size_t(n+1), 4)), n)
}

// Resume runs a rank until it switches back. The rank stores its operations in list.
func Resume(r *Rank, list *Op) {
	C.fc_resume_at(C.uintptr_t(uintptr(unsafe.Pointer(r))), C.uintptr_t(uintptr(unsafe.Pointer(list))))
}

// Combine sets inout to in op inout for the elements of a reduction. It returns false if the rank
// has ended in a user-defined operation.
func Combine(c *Call, in, inout []byte) bool {
	if len(in) == 0 {
		return true
	}
	outcome := C.fc_combine_as(
		(*C.fc_rank)(unsafe.Pointer(c.Owner)), C.MPI_Op(c.Op), C.MPI_Datatype(c.Type),
		unsafe.Pointer(&in[0]), unsafe.Pointer(&inout[0]), C.int64_t(len(in)/int(c.Elem)),
	)
	if outcome == 1 {
		return false
	}
	demand(outcome)
	return true
}

// demand panics with a Fault if address, the result of a C function that returns the faulting
// address or 0, is not 0.
func demand(address C.uintptr_t) {
	if address != 0 {
		panic(Fault(address))
	}
}

// CombineBasic is like Combine for a predefined operation on a predefined type.
func CombineBasic(op, kind int32, in, inout []byte) {
	demand(
		C.fc_combine_basic(
			C.MPI_Op(op), C.MPI_Datatype(kind), unsafe.Pointer(&in[0]), unsafe.Pointer(&inout[0]),
			C.int64_t(min(len(in), len(inout))),
		),
	)
}

// ScatterData combines packed data with memory that has gaps. layout describes the gaps; the memory
// begins at memory and extends beyond that slice.
func ScatterData(op int32, layout *byte, data, memory []byte) {
	demand(
		C.fc_scatter(
			C.MPI_Op(op), unsafe.Pointer(layout), (*C.char)(unsafe.Pointer(&data[0])),
			(*C.char)(unsafe.Pointer(&memory[0])), C.int64_t(len(data)),
		),
	)
}

// GatherData packs memory that has gaps, described by layout, into data.
func GatherData(layout *byte, data, memory []byte) {
	demand(
		C.fc_gather(
			unsafe.Pointer(layout), (*C.char)(unsafe.Pointer(&data[0])),
			(*C.char)(unsafe.Pointer(&memory[0])), C.int64_t(len(data)),
		),
	)
}

// OpName returns the name of an operation. All user-defined ones have the same name.
func OpName(op int32) string { return C.GoString(C.fc_op_name(C.MPI_Op(op))) }

// Text converts a string of the C side.
func Text(p *byte) string { return C.GoString((*C.char)(unsafe.Pointer(p))) }
