// Package engine drives blocks of a model through simulated time, in windows.
//
// A window is no longer than the model's lookahead, so within a window the
// blocks do not need one another: each is run alone, and what one has for
// another waits in mailboxes until the next window. Windows in which no block
// has anything to do are skipped.
//
// With several workers each drives its share of the blocks, and there is one
// barrier a window. Where a window holds too little work to pay for the
// barrier, one worker drives all blocks and the others rest. None of this can
// change a result: a block sees the same mail in the same window, whoever runs it.
package engine
