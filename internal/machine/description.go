package machine

import "runtime"

// Description is what a reader of measurements wants to know about the machine.
type Description struct {
	Processor string  `json:"processor"` // empty if unknown
	CPUs      int     `json:"cpus"`
	Memory    int64   `json:"memory_bytes"` // in all; 0 if unknown
	System    string  `json:"system"`
	Go        string  `json:"go"`
	Load      float64 `json:"load"` // processes that want to run, a mean over the last minute; 0 if unknown
}

// Describe describes this machine as it is now.
func Describe() Description {
	d := Description{CPUs: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	d.look()
	return d
}
