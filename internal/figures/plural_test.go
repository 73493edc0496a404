package figures_test

import (
	"testing"

	"fabricast/internal/figures"
)

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"0 links": figures.Plural(0, "link"), "1 entry": figures.Plural(1, "entry"),
		"2 entries": figures.Plural(2, "entry"), "65,536 routers": figures.Plural(65536, "router"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
