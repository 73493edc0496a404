package schema

import (
	"reflect"
	"strings"
	"testing"
)

type leaf struct {
	Time int64 `json:"ps"`
}

type whole struct {
	Name   string  `json:"name"`
	Share  float64 `json:"share,omitempty"`
	Leaves []leaf  `json:"leaves"`
	One    *leaf   `json:"one,omitempty"`
	Hidden int     `json:"-"`
}

func TestOfOutput(t *testing.T) {
	text, err := OfOutput(reflect.TypeFor[whole]()).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"$schema": "` + Dialect, `"required": [
    "name",
    "leaves"
  ]`, `"$ref": "#/$defs/leaf"`, `"type": "number"`,
	} {
		if !strings.Contains(strings.ReplaceAll(string(text), `"type": [
        "number"
      ]`, `"type": "number"`), want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	if strings.Contains(string(text), "Hidden") {
		t.Errorf("%s\nhas a field that is not written", text)
	}
}
