package view

import (
	"fmt"
	"net/http"
	"sync"
)

// event is a server-sent event. Its data is one line of JSON.
type event struct {
	name string
	data []byte
}

// audience holds the open pages that listen to events.
type audience struct {
	mutex   sync.Mutex
	members map[chan event]bool
	over    chan struct{} // closed when there will be no more events
}

func newAudience() *audience {
	return &audience{members: map[chan event]bool{}, over: make(chan struct{})}
}

// backlog is the number of events queued for a slow page. Further events are dropped.
const backlog = 16

func (a *audience) join() chan event {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	c := make(chan event, backlog)
	a.members[c] = true
	return c
}

func (a *audience) leave(c chan event) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.members, c)
}

func (a *audience) tell(e event) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for c := range a.members {
		select {
		case c <- e:
		default:
		}
	}
}

// attend sends events to a page until the page closes the connection or the server ends.
func (a *audience) attend(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	c := a.join()
	defer a.leave(c)
	out := http.NewResponseController(w)
	fmt.Fprint(w, "retry: 1000\n\n")
	for out.Flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case e := <-c:
			e.write(w)
		case <-a.over:
			for len(c) > 0 {
				(<-c).write(w)
			}
			return
		}
	}
}

// write writes the event. The next Flush returns any connection error.
func (e event) write(w http.ResponseWriter) {
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, e.data)
}
