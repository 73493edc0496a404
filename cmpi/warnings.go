package cmpi

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/findings"
	"fabricast/cmpi/internal/host"
)

// checkTypes passes the choice to the C side.
func (j *Job) checkTypes() {
	how := map[Types]int{
		TypesTold: host.TellTypes, TypesFail: host.FailTypes, TypesIgnored: host.IgnoreTypes,
	}
	j.host.CheckTypes(how[j.options.Types])
}

// mostPlaces is the largest number of places that warnings name.
const mostPlaces = 10

// typeWarnings lists messages that were received with a datatype that does not match, by ascending
// receiver.
func (j *Job) typeWarnings() []string {
	found := findings.Joined(append(j.ownMismatches(), j.found.Mismatches...))
	slices.SortFunc(found, func(a, b host.Mismatch) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Text, b.Text))
	})
	var list []string
	for _, m := range found[:min(len(found), mostPlaces)] {
		list = append(list, datatypes.Mismatched+m.Text+j.place(m.Site)+times(m.Times))
	}
	if more := len(found) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%sin %d further places", datatypes.Mismatched, more))
	}
	return list
}

// ownMismatches returns what ranks of this process have received with a datatype that does not match.
func (j *Job) ownMismatches() (found []host.Mismatch) {
	for m := j.host.Mismatch(0); m != nil; m = j.host.Mismatch(len(found)) {
		found = append(found, *m)
	}
	return found
}

// place returns where a call is in the source, as in " at main.c:12"; "" if unknown.
func (j *Job) place(site int64) string {
	s := j.sites
	if s == nil {
		s = j.lines()
	}
	if s != nil {
		if at := s.At(site); at != "" {
			return " at " + at
		}
	}
	return ""
}

func times(n int64) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("; %d times in all", n)
}

// Mismatch returns an error if ranks of a communicator have called different collectives, or the
// same with different roots, lengths or operations; nil if they have not.
func (j *Job) Mismatch() error { return j.agreement.Mismatch() }

// typesErr returns the first mismatch of datatypes in collectives, if that is an error.
func (j *Job) typesErr() error {
	if j.options.Types != TypesFail {
		return nil
	}
	return j.agreement.MismatchedTypes()
}

// Warnings lists what is wrong but does not make a run fail: requests that were never completed,
// ranks that never called MPI_Finalize, and datatypes that do not match.
func (j *Job) Warnings() []string {
	var list []string
	if n := j.found.Pending; n.Of.Ranks > 0 {
		list = append(
			list,
			fmt.Sprintf(
				"%d requests of %d ranks, the first of them rank %d, were never completed",
				n.Requests, n.Of.Ranks, n.Of.First,
			),
		)
	}
	if n := j.found.Unfinished; n.Ranks > 0 {
		list = append(
			list,
			fmt.Sprintf(
				"%d ranks, the first of them rank %d, ended without calling MPI_Finalize",
				n.Ranks, n.First,
			),
		)
	}
	list = append(list, j.typeWarnings()...)
	if err := j.agreement.MismatchedTypes(); err != nil && j.options.Types == TypesTold {
		list = append(list, err.Error())
	}
	return list
}

// Notes lists what users should know of a run that is not wrong: an exchange that works only where
// MPI buffers large messages, and how computation was charged. Ranks of other processes are not
// looked at.
func (j *Job) Notes() []string {
	var list []string
	if text := j.exchanges.Unsafe(j.place); text != "" {
		list = append(list, text)
	}
	if j.host.Teams() {
		list = append(
			list,
			"computation of threads, of OpenMP and others, is charged the processor time divided by the threads of the team",
		)
	}
	return list
}
