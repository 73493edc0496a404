package model

import (
	"fabricast/internal/units"
)

// SizeClass gives messages up to a size a traffic class, for switches that arbitrate by priority. A
// higher class is more urgent.
type SizeClass struct {
	To    units.Bytes
	Class uint8
}

// ClassOf returns the class of a message: that of the first size that it does not exceed, else 0.
func ClassOf(classes []SizeClass, size int64) uint8 {
	for _, c := range classes {
		if size <= int64(c.To) {
			return c.Class
		}
	}
	return 0
}
