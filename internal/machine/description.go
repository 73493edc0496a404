package machine

import "runtime"

// Description describes the machine on which measurements were made.
type Description struct {
	Processor string `json:"processor"` // empty if unknown
	CPUs      int    `json:"cpus"`
	Memory    int64  `json:"memory_bytes"` // total; 0 if unknown
	System    string `json:"system"`
	Go        string `json:"go"`
	// mean number of runnable processes over the last minute; 0 if unknown
	Load float64 `json:"load"`
}

// Describe describes this machine as it is now.
func Describe() Description {
	d := Description{
		CPUs:   runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(),
	}
	d.look()
	return d
}
