package cmpi

import (
	"fmt"
	"os"
	"time"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/humanize"
	"fabricast/internal/panics"
)

// longestAfterCrash is how long other ranks may wait for the C library after a rank has crashed. A
// rank that crashes within the C library may leave it locked, for example malloc whose memory it
// has overwritten. The run ends normally as long as no other rank needs what is locked.
const longestAfterCrash = 5 * time.Second

// crash describes the first rank of a job that crashed in code outside of the program itself.
type crash struct {
	rank int
	time int64 // ps
	text string
}

// crashed records how a rank has crashed.
func (j *Job) crashed(p *program, text string) {
	j.crash.CompareAndSwap(nil, &crash{p.id, p.ops.Now(), text})
}

// watched calls do, which needs the C library. If do does not return after a rank has crashed, the
// process ends with the error of that rank.
func (j *Job) watched(do func()) {
	c := j.crash.Load()
	if c == nil {
		do()
		return
	}
	limit := time.AfterFunc(longestAfterCrash, panics.Guarded("end after a crash of a rank", func() {
		host.LeaveOutput()
		fmt.Fprintf(
			os.Stderr, "fabricast: rank %d failed at %s of simulated time: %s\n", c.rank,
			humanize.Time(c.time), c.text,
		)
		os.Exit(1)
	}))
	defer limit.Stop()
	do()
}
