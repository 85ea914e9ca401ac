package io.weir.redis;

import io.weir.algorithm.Algorithm.Mark;
import java.util.List;

/**
 * What identifies a charge in each of its buckets, so that it can be corrected.
 *
 * @param plan under which it was taken; another gives nothing back
 * @param marks of each limit; none if nothing was taken
 */
record Marks(Plan plan, List<Mark> marks) {}
