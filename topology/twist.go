package topology

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/internal/units"
)

// Twist is a shift at the ends of the rings of a dimension: what leaves the last router along
// dimension Of comes to the first one, By further along dimension Along.
type Twist struct{ Of, Along, By int }

// String returns the shift as in files, such as "x+4z".
func (w Twist) String() string {
	return fmt.Sprintf("%s+%d%s", DimensionName(w.Of), w.By, DimensionName(w.Along))
}

// UnmarshalText parses a shift such as "x+4z".
func (w *Twist) UnmarshalText(text []byte) error {
	of, rest, _ := strings.Cut(string(text), "+")
	digits := strings.TrimRight(rest, dimNames[:MaxDims])
	by, err := strconv.Atoi(digits)
	along := rest[len(digits):]
	if err != nil || len(of) != 1 || len(along) != 1 || !strings.Contains(dimNames[:MaxDims], of) {
		return &units.Error{Found: string(text), Expected: "a shift such as x+4z: 4 along z where x ends"}
	}
	*w = Twist{Of: strings.Index(dimNames, of), Along: strings.Index(dimNames, along), By: by}
	return nil
}

// UsualTwist returns the shifts with which a torus of k, k, 2k routers in any order, or of k, 2k, 2k,
// is the same along all dimensions; nil for other sizes.
func UsualTwist(dims []int) (list []Twist) {
	if len(dims) != 3 {
		return nil
	}
	k := min(dims[0], dims[1], dims[2])
	for d, size := range dims {
		for j, other := range dims {
			switch {
			case size != k && size != 2*k:
				return nil
			case size == k && other == 2*k:
				list = append(list, Twist{Of: d, Along: j, By: k})
			}
		}
	}
	return list
}
