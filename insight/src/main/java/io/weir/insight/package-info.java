/**
 * Top callers, history and what-if: collected beside the decision path, kept in bounded memory, and
 * available to queries.
 *
 * <p>Uses the counters and {@code rules}; has no front end and no network code. The server and the
 * Spring starter use it; an embedder of the other front ends may leave it out.
 */
@NullMarked
package io.weir.insight;

import org.jspecify.annotations.NullMarked;
