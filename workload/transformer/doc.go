// Package transformer is the arithmetic of decoder-only transformers: parameters, floating-point
// operations, and the memory of a GPU that trains one.
//
// All functions are pure and use integers. A multiplication and an addition are two operations.
// Norms and biases are left out, as they are below 0.1 % of either. The formulas are those of
// Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", SC 2021, and of Korthikanti et al., "Reducing Activation Recomputation in Large
// Transformer Models", MLSys 2023 (arXiv 2205.05198).
package transformer
