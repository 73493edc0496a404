// Package engine simulates the parts of a model through simulated time, in windows.
//
// Part is what every driver needs of a part: it runs a window, puts what it sends into its outbox, and
// says which window is next. Two drivers use it. Run, the conservative one, has all parts go from
// window to window together (Block). Package timewarp lets parts run ahead, and takes them back to
// states that it has saved by their walk (Stateful).
//
// In Run a window is no longer than the model's lookahead, so blocks do not influence each other within
// a window. Each block is simulated alone, and what it sends to another block stays in its outbox
// until the next window. Windows in which no block has anything to do are skipped.
//
// With several workers, each simulates its share of the blocks, with one barrier per window. If
// windows hold too little work to be worth the barrier, one worker simulates all blocks while the
// others rest. None of this changes a result: a block receives the same messages in the same window
// whichever worker runs it.
package engine
