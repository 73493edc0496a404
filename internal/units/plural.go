package units

import (
	"strconv"
	"strings"
)

// Plural counts things in words, as in "1 link", "2 links" and "3 entries".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, found := strings.CutSuffix(thing, "y"); found {
		thing = stem + "ie"
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
