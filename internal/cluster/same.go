package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Trait is a setting that must be the same in all processes of a run.
type Trait struct {
	Name, Value string
	// Part names the setting that this trait is a part of; "" if it is not a part.
	Part string
	// Unknown means that this process does not know the value of the trait or of its parts, and
	// accepts any.
	Unknown bool
}

// DifferentError reports that processes of a run were given different settings.
type DifferentError struct{ List []Difference }

// Difference is a trait in which a process differs from the first process.
type Difference struct {
	Process, Of           int // index of the process, and number of processes
	Host                  string
	Name, Found, Expected string // "none": missing
	FirstHost             string // host name of the first process
	more                  int    // number of differences that are not listed
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

// mostDifferences limits the number of processes that an error lists.
const mostDifferences = 4

// handed holds the traits of a process, to send to the others.
type handed struct {
	Host   string
	Traits []Trait
}

// Same returns a *DifferentError, the same in all processes of a group, if their traits differ. It
// is collective. With one process, or if g is nil, it returns nil.
func Same(g Collective, traits []Trait) error {
	if !Several(g) || alike(g, traits) {
		return nil
	}
	host, _ := os.Hostname() // if the name is unknown, the process's index suffices
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

// alike reports whether all processes have exactly the same traits. It compares a hash of them.
func alike(g Collective, traits []Trait) bool {
	hash := sha256.New()
	for _, t := range traits {
		fmt.Fprintf(hash, "%d %d %t\n%s%s", len(t.Name), len(t.Value), t.Unknown, t.Name, t.Value)
	}
	sum := hash.Sum(nil)
	var values []int64 // each with its negation: all are equal if the minimum equals the maximum
	for i := range 2 {
		v := int64(binary.LittleEndian.Uint64(sum[8*i:]) >> 1)
		values = append(values, v, -v)
	}
	g.Least(values)
	return values[0] == -values[1] && values[2] == -values[3]
}

// differences lists the traits in which another process differs.
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

// mostShown is the length (bytes) beyond which values are cut off.
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
