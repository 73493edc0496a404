package agreement

import (
	"fmt"

	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/host"
)

// first returns the first turn for which differ returns true, of several the one with the lowest
// context; nil if there is none.
func (a *Agreement) first(differ func(*attendance) bool) (first turn, found *attendance) {
	for t, all := range a.open {
		if differ(all) &&
			(found == nil || t.nth < first.nth || t.nth == first.nth && t.context < first.context) {
			first, found = t, all
		}
	}
	return first, found
}

// Mismatch returns an error if ranks of a communicator have called different collectives, or the
// same with different roots, lengths or operations; nil if they have not.
func (a *Agreement) Mismatch() error {
	t, found := a.first(func(t *attendance) bool { return t.differ })
	if found == nil {
		return nil
	}
	one, other := &found.lowest, &found.other
	text := fmt.Sprintf(
		"collectives do not match: rank %d called %s as number %d on a communicator",
		one.rank, host.Text(one.name), t.nth,
	)
	switch {
	case one.what != other.what || one.background != other.background:
		return fmt.Errorf("%s, rank %d called %s", text, other.rank, host.Text(other.name))
	case one.root != other.root:
		return fmt.Errorf("%s with root %d, rank %d with root %d", text, one.root, other.rank, other.root)
	case one.data.op != other.data.op:
		return fmt.Errorf(
			"%s with %s, rank %d with %s",
			text, host.OpName(one.data.op), other.rank, host.OpName(other.data.op),
		)
	case one.data.bytes != other.data.bytes:
		return fmt.Errorf("%s for %d bytes, rank %d for %d", text, one.data.bytes, other.rank, other.data.bytes)
	}
	return fmt.Errorf("%s with other counts than rank %d", text, other.rank)
}

// MismatchedTypes returns an error for the first collective in which ranks use datatypes that do
// not match; nil if there is none. It leaves out collectives that Mismatch reports.
func (a *Agreement) MismatchedTypes() error {
	t, found := a.first(func(t *attendance) bool { return t.types.differ && !t.differ })
	if found == nil {
		return nil
	}
	p := &found.types
	text := fmt.Sprintf(
		"%srank %d called %s as number %d on a communicator for %d bytes",
		datatypes.Mismatched, p.rank, host.Text(found.lowest.name), t.nth, found.lowest.data.bytes,
	)
	if p.rank == p.other {
		return fmt.Errorf("%s, as %s and as %s", text, p.signature.Describe(), p.otherSignature.Describe())
	}
	return fmt.Errorf(
		"%s of %s, rank %d of %s",
		text, p.signature.Describe(), p.other, p.otherSignature.Describe(),
	)
}
