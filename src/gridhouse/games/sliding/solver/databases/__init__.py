"""Pattern databases: partitions, building, the cache on disk, the heuristic made of them."""
