package experiment

import (
	"reflect"

	"fabricast/internal/option"
	"fabricast/topology"
)

// Sized returns a network of a kind with at least hosts hosts and not many more, in a commonly
// built shape. ok is false for a kind that cannot be chosen by a number of hosts.
func Sized(kind string, hosts int) (t Topology, ok bool) {
	k := topology.FindKind(kind)
	if k == nil {
		return Topology{}, false
	}
	spec := k.Sized(hosts)
	if spec == nil {
		return Topology{}, false
	}
	return formOf(k, spec), true
}

// formOf returns the form that describes a topology of a kind.
func formOf(k *topology.Kind, spec topology.Spec) Topology {
	t := Topology{Kind: k.Name}
	from := reflect.ValueOf(spec)
	for _, o := range k.Options {
		value := from.Field(o.Index)
		switch to := field(reflect.ValueOf(&t).Elem(), o.Name); {
		case value.IsZero():
		case o.Type == specType:
			part := value.Interface().(topology.Spec)
			form := formOf(topology.FindKind(kindOfSpec(part)), part)
			*t.part(o.Name) = &form
		case to.IsValid():
			if err := option.Set(to, value); err != nil {
				panic(err) // the field is of another type than the kind's
			}
		default:
			t.Options = spec
		}
	}
	return t
}

// HostsOf returns the number of hosts of a topology; 0 if its fields are invalid.
func HostsOf(t Topology) int {
	e := Experiment{Network: Network{Topology: t}}
	e.fillDefaults()
	return e.Hosts()
}
