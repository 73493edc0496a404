package model

import (
	"fabricast/internal/units"
)

// SizeClass assigns a traffic class to messages up to a size, for switches that arbitrate by
// priority (a higher class has higher priority) or have queues by class.
type SizeClass struct {
	To    units.Bytes
	Class uint8
}

// ClassOf returns the class of a message: that of the first entry whose size it does not exceed, or
// 0.
func ClassOf(classes []SizeClass, size int64) uint8 {
	for _, c := range classes {
		if size <= int64(c.To) {
			return c.Class
		}
	}
	return 0
}
