package machine

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// look fills in what /proc reports.
func (d *Description) look() {
	d.Memory = meminfo("MemTotal:")
	d.Processor = processor()
	text, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(text), " ")
	d.Load, _ = strconv.ParseFloat(load, 64)
}

// processor returns the name of the first CPU, "" if unknown.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
