package fabric

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/offheap"
)

// queueTable returns a table with room for a few messages.
func queueTable(t *rapid.T) *messageTable {
	arena := new(offheap.Arena)
	t.Cleanup(arena.Free)
	messages := make([]array[Message], 1)
	table := &messageTable{
		indexBits: 31, indexMask: math.MaxInt32, all: arrayOf(messages), queued: queuedMessages{enabled: true},
	}
	if err := messages[0].reserve(arena, 100); err != nil {
		t.Fatal(err)
	}
	if err := table.queued.reserve(arena, 100); err != nil {
		t.Fatal(err)
	}
	return table
}

// drawMessage returns a message of whose fields half are zero.
func drawMessage(t *rapid.T) (m Message) {
	v := reflect.ValueOf(&m).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		x := rapid.Int64Range(0, 1<<(f.Type().Bits()-1)-1).Draw(t, v.Type().Field(i).Name)
		if rapid.Bool().Draw(t, "zero") {
			x = 0
		}
		if f.CanInt() {
			f.SetInt(x)
		} else {
			f.SetUint(uint64(x))
		}
	}
	m.Sent = rapid.Int64Range(0, 1<<50).Draw(t, "sent")
	m.Post = m.Sent + rapid.Int64Range(0, 1<<40).Draw(t, "later")
	return m
}

// TestQueueKeepsMessages: the queue of a NIC returns the messages put into it, in order and with all
// fields, whichever of them are alike.
func TestQueueKeepsMessages(t *testing.T) {
	shrunk := 0
	rapid.Check(t, func(t *rapid.T) {
		table := queueTable(t)
		var n nic
		var want []Message
		model := drawMessage(t)
		post := func() {
			m := model
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				m = drawMessage(t)
				m.Src = model.Src
			default:
				m.Flags, m.Payload = model.Flags&^HasExtra, 0
				m.Dst, m.Tag = rapid.Int32().Draw(t, "dst"), rapid.Int32().Draw(t, "tag")
				m.Request, m.Sent = rapid.Uint32().Draw(t, "request"), rapid.Int64Range(0, 1<<50).Draw(t, "sent")
				m.Post = m.Sent + model.Post - model.Sent
			}
			id, place := table.add()
			m.Next, m.Left = 0, 3
			*place = m
			want = append(want, m)
			if n.fetching == 0 {
				n.fetching, n.tail = uint32(id), uint32(id)
				return
			}
			if table.follow(&n, id, place); n.tail&isQueued != 0 {
				shrunk++
			}
		}
		fetch := func() {
			if n.fetching == 0 {
				return
			}
			m := table.at(MsgID(n.fetching))
			got := *m
			if got.Next = 0; got != want[0] {
				t.Fatalf("fetched %+v, want %+v", got, want[0])
			}
			want = want[1:]
			id := m.Next
			if id&isQueued != 0 {
				next, _ := table.grow(&n, m, 3)
				id = uint32(next)
			}
			if (id == 0) != (len(want) == 0) {
				t.Fatalf("message %d follows, want %d", id, len(want))
			}
			table.reuse(n.fetching)
			if n.fetching = id; id == 0 {
				n.tail = 0
			}
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "step") > 0 {
				post()
			} else {
				fetch()
			}
		}
		for len(want) > 0 {
			fetch()
		}
	})
	if shrunk < 100 {
		t.Errorf("%d messages waited in short records", shrunk)
	}
}

// TestLikeLooksAtAllFields: messages are alike if they differ in no other fields than those that a
// queuedMessage has.
func TestLikeLooksAtAllFields(t *testing.T) {
	own := map[string]bool{"Dst": true, "Tag": true, "Request": true, "Next": true, "Left": true, "Src": true}
	fields := reflect.TypeFor[Message]()
	for i := range fields.NumField() {
		var m, before Message
		f := reflect.ValueOf(&m).Elem().Field(i)
		if f.CanInt() {
			f.SetInt(1)
		} else {
			f.SetUint(1)
		}
		if name := fields.Field(i).Name; m.like(&before) != own[name] {
			t.Errorf("with another %s messages are alike: %t", name, !own[name])
		}
	}
	a, b := Message{Sent: 5, Post: 8}, Message{Sent: 6, Post: 9}
	if !a.like(&b) {
		t.Error("messages posted later are not alike")
	}
	a.Flags, b.Flags = HasExtra, HasExtra
	if a.like(&b) {
		t.Error("messages with more fields are alike")
	}
}
