package agreement

import (
	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/host"
)

// types records, for one call of a collective by all ranks, the lowest rank with a known datatype,
// and the lowest rank whose datatype does not match it.
type types struct {
	rank, other               int
	signature, otherSignature datatypes.Signature
	typed, differ             bool
}

// add records the datatype of a rank's part, which has the given number of bytes.
func (t *types) add(rank int, s datatypes.Signature, bytes int64) {
	if !s.Known() {
		return
	}
	match := !t.typed || s.Number() == t.signature.Number() ||
		host.SameBytes(s.Number(), t.signature.Number(), bytes)
	switch {
	case !t.typed:
		t.rank, t.signature, t.typed = rank, s, true
	case rank < t.rank:
		if !match {
			t.other, t.otherSignature, t.differ = t.rank, t.signature, true
		}
		t.rank, t.signature = rank, s
	case !match && (!t.differ || rank < t.other):
		t.other, t.otherSignature, t.differ = rank, s, true
	}
}
