package machine

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// Memory returns how many bytes of memory are available to the process: what the machine has
// available now, or the limit of the control group if that is less. 0 if unknown.
func Memory() int64 {
	available := meminfo("MemAvailable:")
	for _, file := range []string{
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
	} {
		if limit := number(file); limit > 0 && (available == 0 || limit < available) {
			available = limit
		}
	}
	return available
}

// meminfo returns the value of a line of /proc/meminfo in bytes.
func meminfo(key string) int64 { return procField("/proc/meminfo", key) }

// procField returns the value, in bytes, of a line "key number kB" of a file in /proc; 0 if there
// is none.
func procField(file, key string) int64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == key {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib * 1024
		}
	}
	return 0
}

// number reads a file that holds a number; 0 if it holds something else, such as "max".
func number(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
