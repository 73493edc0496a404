//go:build !(cgo && linux && (amd64 || arm64))

package host

import (
	"errors"
	"runtime"
)

// errMissing says why this build cannot run C programs.
var errMissing = errors.New(
	"this fabricast cannot run C programs: it was built for " + runtime.GOOS + "/" + runtime.GOARCH +
		" without cgo; found no C side, expected a build on linux/amd64 or linux/arm64 with gcc " +
		"installed and CGO_ENABLED=1",
)

// Missing returns the error that says why C programs cannot run.
func Missing() error { return errMissing }

// Job is a loaded program. This build cannot load any.
type Job struct{}

// Load returns an error: this build cannot run C programs.
func Load(string, []string, int, int) (*Job, error) { return nil, errMissing }

// Options cannot be called: there is no Job.
func (j *Job) Options(_, _ bool, _ float64, _ bool) {}

// Saved cannot be called: there is no Job.
func (j *Job) Saved(bool) {}

// CheckTypes cannot be called: there is no Job.
func (j *Job) CheckTypes(int) {}

// Mismatch cannot be called: there is no Job.
func (j *Job) Mismatch(int) *Mismatch { return nil }

// Blocked cannot be called: there is no Rank.
func (r *Rank) Blocked() []Blocked { return nil }

// Teams cannot be called: there is no Job.
func (j *Job) Teams() bool { return false }

// SameBytes cannot be called: there is no Job.
func SameBytes(_, _ int32, _ int64) bool { return true }

// Describe cannot be called: there is no Job.
func Describe(_, _ int32) string { return "" }

// OpName cannot be called: there is no Job.
func OpName(int32) string { return "" }

// Answers cannot be called: there is no Job.
func (j *Job) Answers() bool { return true }

// Redirect has no effect.
func Redirect(uintptr) {}

// HoldOutput cannot be called: there is no Job.
func (j *Job) HoldOutput() *int64 { return new(int64) }

// ReleaseOutput has no effect.
func ReleaseOutput(int64) {}

// MuteOutput has no effect.
func MuteOutput(bool) {}

// ReleaseOldOutput has no effect.
func ReleaseOldOutput() {}

// LeaveOutput has no effect.
func LeaveOutput() {}

// NewRank cannot be called: there is no Job.
func (j *Job) NewRank(int) *Rank { return nil }

// NewList cannot be called: there is no Job.
func NewList() *Op { return nil }

// NewRanks allocates n world ranks.
func NewRanks(n int) []int32 { return make([]int32, n) }

// Resume cannot be called: there are no ranks.
func Resume(*Rank, *Op) {}

// Combine cannot be called: there are no ranks.
func Combine(_ *Call, _, _ []byte) bool { return false }

// CombineBasic cannot be called: there are no ranks.
func CombineBasic(_, _ int32, _, _ []byte) {}

// ScatterData cannot be called: there are no ranks.
func ScatterData(_ int32, _ *byte, _, _ []byte) {}

// GatherData cannot be called: there are no ranks.
func GatherData(_ *byte, _, _ []byte) {}

// Text cannot be called: there are no ranks.
func Text(*byte) string { return "" }

// Apart cannot be called: there is no Job.
func (j *Job) Apart() {}

// Earliest cannot be called: there is no Job.
func Earliest() *int64 { return new(int64) }

// TakeOutput returns nothing.
func TakeOutput() []byte { return nil }

// GiveOutput has no effect.
func GiveOutput([]byte) {}

// Signature cannot be called: there is no Job.
func Signature(int32) []int64 { return nil }

// KnownSignature cannot be called: there is no Job.
func KnownSignature([]int64) int32 { return 0 }

// LayoutBytes cannot be called: there is no Job.
func LayoutBytes(*byte) []byte { return nil }

// CopiedLayout cannot be called: there is no Job.
func CopiedLayout([]byte) *byte { return nil }

// NewMirror cannot be called: there is no Job.
func NewMirror([]byte, int) uintptr { return 0 }

// MirrorAttached cannot be called: there is no Job.
func MirrorAttached(uintptr, []byte) {}

// KeptText cannot be called: there is no Job.
func KeptText(string) *byte { return nil }
