package view

import (
	"fmt"
	"net/http"
	"sync"
)

// event is a server-sent event; its data is JSON in one line.
type event struct {
	name string
	data []byte
}

// audience is all pages that listen.
type audience struct {
	mutex   sync.Mutex
	members map[chan event]bool
}

// backlog is how many events wait for a page that is slow; it misses further ones.
const backlog = 16

func (a *audience) join() chan event {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.members == nil {
		a.members = map[chan event]bool{}
	}
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

// attend sends events to a page until it goes away or the server ends.
func (a *audience) attend(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	c := a.join()
	defer a.leave(c)
	out := http.NewResponseController(w)
	fmt.Fprint(w, "retry: 1000\n\n")
	for out.Flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case e := <-c:
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, e.data)
		}
	}
}
