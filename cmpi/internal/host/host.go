//go:build cgo && linux && (amd64 || arm64)

package host

/*
#cgo CFLAGS: -O2 -std=gnu11 -Wall -Wno-unused-parameter
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
int fc_job_answers(fc_job *j);
void fc_job_options(fc_job *j, int prefix, int omit, double speed, int sampled);
void fc_redirect(int out);
const int64_t *fc_hold_output(fc_job *j);
void fc_release_output(int64_t until);
void fc_release_old_output(void);
void fc_job_check_types(fc_job *j, int what);
char *fc_job_mismatch(fc_job *j, int n, int64_t *site, int64_t *times, int *rank);
int fc_signatures_match(int a, int b, int64_t bytes);
const char *fc_op_name(MPI_Op op);
void fc_describe_type(int basic, int number, char *text, size_t room);
fc_rank *fc_rank_new(fc_job *j, int id);
int fc_combine_as(fc_rank *r, MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t count);
void fc_scatter(MPI_Op op, const void *layout, char *data, char *memory, int64_t bytes);
void fc_gather(const void *layout, char *data, const char *memory, int64_t bytes);
void fc_combine_basic(MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t bytes);

// Addresses as numbers: cgo looks at pointers to see whether they are Go's, which these never are.
static inline void fc_resume_at(uintptr_t rank, uintptr_t list) { fc_resume((fc_rank *)rank, (fc_op *)list); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Missing is what keeps C programs from running: nil if nothing does.
func Missing() error { return nil }

// Job is a program that has been loaded for a number of ranks. It lives as long as the process.
type Job struct{ c *C.fc_job }

// Load reads a program built by the wrappers of this package. Each rank gets a stack of at most stack bytes.
func Load(path string, args []string, ranks, stack int) (*Job, error) {
	argv := unsafe.Slice((**C.char)(C.calloc(C.size_t(len(args)+1), C.size_t(unsafe.Sizeof(uintptr(0))))), len(args)+1)
	for i, a := range args {
		argv[i] = C.CString(a)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	j := C.fc_load(name, C.int(ranks), C.size_t(stack), C.int(len(args)), &argv[0])
	if text := C.GoString(C.fc_load_error(j)); text != "" {
		return nil, errors.New(text)
	}
	return &Job{j}, nil
}

// Options of a job: lines of output begin with their rank, messages carry sizes only, a ns of host time is speed ps
// of computation (0: computation costs nothing), but only within sampled loops.
func (j *Job) Options(prefix, omit bool, speed float64, sampled bool) {
	flag := map[bool]C.int{true: 1}
	C.fc_job_options(j.c, flag[prefix], flag[omit], C.double(speed), flag[sampled])
}

// CheckTypes tells what is done where a receiver takes bytes for something else than the sender.
func (j *Job) CheckTypes(what int) { C.fc_job_check_types(j.c, C.int(what)) }

// Mismatch tells of the nth place, in no order, at which that has been so: nil if there is none.
func (j *Job) Mismatch(n int) *Mismatch {
	var site, times C.int64_t
	var rank C.int
	text := C.fc_job_mismatch(j.c, C.int(n), &site, &times, &rank)
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return &Mismatch{C.GoString(text), int64(site), int64(times), int(rank)}
}

// SameBytes tells whether so many bytes mean the same by two signatures.
func SameBytes(a, b int32, bytes int64) bool {
	return C.fc_signatures_match(C.int(a), C.int(b), C.int64_t(bytes)) != 0
}

// Describe puts a type into words, given by its number among the predefined ones, or 0, and by its signature.
func Describe(basic, signature int32) string {
	var text [256]C.char
	C.fc_describe_type(C.int(basic), C.int(signature), &text[0], C.size_t(len(text)))
	return C.GoString(&text[0])
}

// Answers tells whether the program names functions that may need the NICs of other hosts to answer.
func (j *Job) Answers() bool { return C.fc_job_answers(j.c) != 0 }

// Redirect makes the ranks write what they print to another file than standard output.
func Redirect(fd uintptr) { C.fc_redirect(C.int(fd)) }

// HoldOutput holds back what the job's ranks print until it is released. What it returns tells, read atomically, the simulated time (ps)
// of the earliest of it; math.MaxInt64 if there is nothing.
func (j *Job) HoldOutput() *int64 { return (*int64)(unsafe.Pointer(C.fc_hold_output(j.c))) }

// ReleaseOutput writes, in the order of time, what has been printed before a simulated time (ps).
func ReleaseOutput(until int64) { C.fc_release_output(C.int64_t(until)) }

// ReleaseOldOutput writes what is held back if no other time was released for some seconds.
func ReleaseOldOutput() { C.fc_release_old_output() }

// NewRank makes a rank, which begins when it is first resumed.
func (j *Job) NewRank(id int) *Rank {
	return (*Rank)(unsafe.Pointer(C.fc_rank_new(j.c, C.int(id))))
}

// NewList makes room for the operations of one rank at a time.
func NewList() *Op {
	return (*Op)(C.calloc(Batch, C.size_t(unsafe.Sizeof(Op{})+Small)))
}

// NewRanks makes room for n world ranks, in memory that the C side may keep.
func NewRanks(n int) []int32 {
	return unsafe.Slice((*int32)(C.calloc(C.size_t(n+1), 4)), n)
}

// Resume lets a rank run until it hands over. It leaves its operations in list.
func Resume(r *Rank, list *Op) {
	C.fc_resume_at(C.uintptr_t(uintptr(unsafe.Pointer(r))), C.uintptr_t(uintptr(unsafe.Pointer(list))))
}

// Combine sets inout to in op inout for the elements of a reduction. It returns false if the rank has ended in doing so.
func Combine(c *Call, in, inout []byte) bool {
	return len(in) == 0 || C.fc_combine_as((*C.fc_rank)(unsafe.Pointer(c.Owner)), C.MPI_Op(c.Op), C.MPI_Datatype(c.Type), unsafe.Pointer(&in[0]), unsafe.Pointer(&inout[0]),
		C.int64_t(len(in)/int(c.Elem))) != 0
}

// CombineBasic is Combine for a predefined operation on a predefined type.
func CombineBasic(op, kind int32, in, inout []byte) {
	C.fc_combine_basic(C.MPI_Op(op), C.MPI_Datatype(kind), unsafe.Pointer(&in[0]), unsafe.Pointer(&inout[0]), C.int64_t(min(len(in), len(inout))))
}

// ScatterData combines packed data with memory of a layout with gaps that begins at memory, and goes beyond it.
func ScatterData(op int32, layout *byte, data, memory []byte) {
	C.fc_scatter(C.MPI_Op(op), unsafe.Pointer(layout), (*C.char)(unsafe.Pointer(&data[0])), (*C.char)(unsafe.Pointer(&memory[0])), C.int64_t(len(data)))
}

// GatherData packs what is in such memory.
func GatherData(layout *byte, data, memory []byte) {
	C.fc_gather(unsafe.Pointer(layout), (*C.char)(unsafe.Pointer(&data[0])), (*C.char)(unsafe.Pointer(&memory[0])), C.int64_t(len(data)))
}

// OpName is what an operation is called; those of the program have one name.
func OpName(op int32) string { return C.GoString(C.fc_op_name(C.MPI_Op(op))) }

// Text is a string of the C side.
func Text(p *byte) string { return C.GoString((*C.char)(unsafe.Pointer(p))) }
