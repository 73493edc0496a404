//go:build cgo && linux && (amd64 || arm64)

package host

/*
#include <stdlib.h>
#include <string.h>
#include "host.h"
void fc_job_apart(fc_job *j);
const int64_t *fc_earliest_output(void);
char *fc_take_output(size_t *n);
void fc_give_output(const char *data, size_t n);
int fc_signature_words(int number, int64_t *words);
int fc_signature_known(const int64_t *words, int n);
size_t fc_layout_bytes(const void *layout, char *bytes);
void *fc_layout_copied(const char *bytes);
void fc_mirror_attached(uintptr_t mirror, const char *data, size_t n);
*/
import "C"

import "unsafe"

// Apart makes the C side know that the job's ranks are in several processes.
func (j *Job) Apart() { C.fc_job_apart(j.c) }

// Earliest returns what HoldOutput does, without any effect.
func Earliest() *int64 { return (*int64)(unsafe.Pointer(C.fc_earliest_output())) }

// TakeOutput removes the output held back, and returns it for GiveOutput of another process.
func TakeOutput() []byte {
	var n C.size_t
	data := C.fc_take_output(&n)
	if data == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(data))
	return C.GoBytes(unsafe.Pointer(data), C.int(n))
}

// GiveOutput adds the output of ranks of another process to what is held back here.
func GiveOutput(data []byte) {
	if len(data) > 0 {
		C.fc_give_output((*C.char)(unsafe.Pointer(&data[0])), C.size_t(len(data)))
	}
}

// longestSignature is the largest number of runs of a signature.
const longestSignature = 4096

// Signature returns the runs of a signature of several kinds, each as its bytes and its kind.
func Signature(number int32) []int64 {
	words := make([]int64, 2*longestSignature)
	n := C.fc_signature_words(C.int(number), (*C.int64_t)(unsafe.Pointer(&words[0])))
	return words[:n]
}

// KnownSignature returns the number of a signature that Signature has described.
func KnownSignature(words []int64) int32 {
	return int32(C.fc_signature_known((*C.int64_t)(unsafe.Pointer(&words[0])), C.int(len(words))))
}

// LayoutBytes returns a datatype as it lies in memory, for CopiedLayout of another process.
func LayoutBytes(layout *byte) []byte {
	data := make([]byte, C.fc_layout_bytes(unsafe.Pointer(layout), nil))
	C.fc_layout_bytes(unsafe.Pointer(layout), (*C.char)(unsafe.Pointer(&data[0])))
	return data
}

// CopiedLayout makes a datatype of what LayoutBytes has returned. It is never freed.
func CopiedLayout(data []byte) *byte {
	return (*byte)(C.fc_layout_copied((*C.char)(unsafe.Pointer(&data[0]))))
}

// NewMirror returns the address of memory of a size that begins with the given bytes and is zero
// otherwise. It stands for a structure of a rank of another process.
func NewMirror(begin []byte, size int) uintptr {
	p := C.calloc(1, C.size_t(max(size, len(begin))))
	copy(unsafe.Slice((*byte)(p), len(begin)), begin)
	return uintptr(p)
}

// MirrorAttached stores what the rank of another process has attached to a dynamic window.
func MirrorAttached(mirror uintptr, data []byte) {
	var first *C.char
	if len(data) > 0 {
		first = (*C.char)(unsafe.Pointer(&data[0]))
	}
	C.fc_mirror_attached(C.uintptr_t(mirror), first, C.size_t(len(data)))
}

// KeptText returns a text in memory of the C side, which is never freed.
func KeptText(text string) *byte {
	return (*byte)(unsafe.Pointer(C.CString(text)))
}
