package control

import (
	"reflect"
	"testing"

	"github.com/goccy/go-yaml"

	"fabricast/internal/option"
	"fabricast/internal/units"
)

// specs returns an algorithm with all its examples.
func specs(t *testing.T, k *Kind) (list []Spec) {
	t.Helper()
	for _, text := range k.Examples {
		o := k.New()
		if text != "" {
			read(t, "{"+text+"}", k.Options, o)
		}
		if m := k.Check(o); m != nil {
			t.Errorf("%s: %s: %+v", k.Name, text, m)
		}
		list = append(list, k.Spec(o))
	}
	return list
}

// read sets options from YAML, as files of experiments do.
func read(t *testing.T, text string, list []option.Option, options any) {
	t.Helper()
	var fields map[string]string
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		value, given := fields[o.Name]
		if !given {
			continue
		}
		delete(fields, o.Name)
		var err error
		switch to := reflect.ValueOf(options).Elem().Field(o.Index).Addr().Interface().(type) {
		case interface{ Set(text string) error }:
			err = to.Set(value)
		case interface{ UnmarshalText(text []byte) error }:
			err = to.UnmarshalText([]byte(value))
		default:
			err = yaml.Unmarshal([]byte(value), to)
		}
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
	if len(fields) > 0 {
		t.Errorf("%s: there are no options %v", text, fields)
	}
}

func TestKinds(t *testing.T) {
	for _, k := range Kinds() {
		if k.Summary == "" || k.Limits == "" || k.Signals == "" || len(k.Examples) == 0 {
			t.Errorf("%+v", k)
		}
		for _, o := range k.Options {
			if o.Help == "" || o.Default == "" {
				t.Errorf("%s: %+v", k.Name, o)
			}
		}
		for _, s := range specs(t, k) {
			makes := k.Lossless() && MakeLossless(s, twoHosts()) != nil || !k.Lossless() && Make(s) != nil
			if KindOf(s) != k || FindKind(s.Name()) != k || !makes {
				t.Errorf("%s: %+v", k.Name, s)
			}
		}
	}
	if len(KindNames()) != len(Kinds()) || FindKind("mine") != nil {
		t.Error(KindNames())
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{WindowOptions{Size: -1}, "size: found -1B, expected at least 0"},
		{NSCCOptions{Target: -1}, "target: found -1ps, expected at least 0"},
		{DCQCNOptions{G: 2_000_000_000}, "g: found 2, expected a share from 0 to 1"},
		{DCQCNOptions{Recovery: -1}, "recovery: found -1, expected 0 to 1000"},
		{SwiftOptions{Cut: -1}, "cut: found -0.000000001, expected a share from 0 to 1"},
		{HPCCOptions{Stages: 1001}, "stages: found 1001, expected 0 to 1000"},
		{TimelyOptions{Min: -1}, "min: found -1B/s, expected at least 0"},
		{DCTCPOptions{Max: -1}, "max: found -1B, expected at least 0"},
		{IBOptions{Min: 128}, "min: found 128, expected 0 to 127"},
		{IBCCOptions{Threshold: 16}, "threshold: found 16, expected 1 to 15"},
		{IBCCOptions{Limit: 9, Min: 10}, "ccti_min: found 10, expected 0 to 9"},
		{IBCCOptions{Last: 1001 * units.Whole}, "cct_last: found 1001, expected 0 to 1000"},
		{SlingshotLikeOptions{Senders: 1 << 16}, "senders: found 65536, expected 0 to 65535"},
		{SlingshotLikeOptions{Interval: -1}, "interval: found -1ps, expected at least 0"},
		{IBOptions{Step: -1}, "step: found -0.000000001, expected at least 0"},
	} {
		k := KindOf(c.spec)
		o := reflect.New(reflect.TypeOf(c.spec))
		o.Elem().Set(reflect.ValueOf(c.spec))
		list := k.Check(o.Interface())
		if len(list) != 1 || list[0].Error() != c.want {
			t.Errorf("%+v: %v, expected %s", c.spec, list, c.want)
		}
	}
}
