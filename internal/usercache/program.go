package usercache

import (
	"debug/elf"
	"os"
	"sync"
)

// buildID returns the identifier that the Go linker has given to the running program, which is different for each
// program code. It is "" if there is none, or if the file is not in the format of Linux.
var buildID = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	note := file.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	data, err := note.Data()
	if err != nil {
		return ""
	}
	return string(data)
})
