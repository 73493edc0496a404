package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Trait is something that all processes of a run must have been given alike.
type Trait struct {
	Name, Value string
	// Part is what the trait is a part of; "" if it is whole.
	Part string
	// Unknown means that this process does not know the value of the trait, or of those that are
	// parts of it. That agrees with everything.
	Unknown bool
}

// DifferentError reports that processes of a run were given different things.
type DifferentError struct{ List []Difference }

// Difference is a trait that a process has not, or has otherwise than the first process.
type Difference struct {
	Process, Of           int // its number from 0, and how many there are
	Host                  string
	Name, Found, Expected string // "none": not given
	FirstHost             string // of the first process
	more                  int    // differences of the process that are not listed
}

func (e *DifferentError) Error() string {
	var b strings.Builder
	b.WriteString("the processes of this run were given different things:")
	for _, d := range e.List {
		fmt.Fprintf(
			&b, "\n  process %d of %d, on %s: %s: found %s, expected %s, as in process 0, on %s",
			d.Process, d.Of, d.Host, d.Name, d.Found, d.Expected, d.FirstHost,
		)
		if d.more > 0 {
			fmt.Fprintf(&b, " (and %d more)", d.more)
		}
	}
	return b.String()
}

// mostDifferences is how many processes an error lists.
const mostDifferences = 4

// handed is what a process has been given, for the others.
type handed struct {
	Host   string
	Traits []Trait
}

// Same returns a *DifferentError, the same in all processes of a group, if they have different
// traits. All processes call it. With one process, or none, it returns nil.
func Same(g Collective, traits []Trait) error {
	if !Several(g) || alike(g, traits) {
		return nil
	}
	host, _ := os.Hostname() // without a name the number must do
	all := GatherValues(g, handed{host, traits})
	var e DifferentError
	for p := range all {
		if list := all[0].differences(&all[p]); len(list) > 0 && len(e.List) < mostDifferences {
			d := list[0]
			d.Process, d.Of, d.Host, d.FirstHost = p, len(all), all[p].Host, all[0].Host
			d.more = len(list) - 1
			e.List = append(e.List, d)
		}
	}
	if e.List == nil {
		return nil
	}
	return &e
}

// alike reports whether all processes have exactly the same traits, by a hash of them.
func alike(g Collective, traits []Trait) bool {
	hash := sha256.New()
	for _, t := range traits {
		fmt.Fprintf(hash, "%d %d %t\n%s%s", len(t.Name), len(t.Value), t.Unknown, t.Name, t.Value)
	}
	sum := hash.Sum(nil)
	var values []int64 // each with its negative, so that the least of both tell whether all are equal
	for i := range 2 {
		v := int64(binary.LittleEndian.Uint64(sum[8*i:]) >> 1)
		values = append(values, v, -v)
	}
	g.Least(values)
	return values[0] == -values[1] && values[2] == -values[3]
}

// differences lists what another process has otherwise.
func (a *handed) differences(b *handed) (list []Difference) {
	here, there := a.byName(), b.byName()
	for i, t := range append(slices.Clone(a.Traits), b.Traits...) {
		if _, seen := here[t.Name]; seen && i >= len(a.Traits) {
			continue
		}
		one, other := here[t.Name], there[t.Name]
		unknown := one.Unknown || other.Unknown || here[t.Part].Unknown || there[t.Part].Unknown
		if !unknown && one.Value != other.Value {
			list = append(list, Difference{Name: t.Name, Found: shown(other.Value), Expected: shown(one.Value)})
		}
	}
	return list
}

func (a *handed) byName() map[string]Trait {
	list := make(map[string]Trait, len(a.Traits))
	for _, t := range a.Traits {
		list[t.Name] = t
	}
	return list
}

// mostShown is the longest value (bytes) that is shown.
const mostShown = 120

func shown(value string) string {
	switch {
	case value == "":
		return "none"
	case len(value) > mostShown:
		return strings.ToValidUTF8(value[:mostShown], "") + "..."
	}
	return value
}
