/**
 * Top callers, history and what-if: collected beside the decision path, kept in bounded memory, and
 * available to queries.
 *
 * <p>Uses the counters and {@code rules}; has no front end and no network code. Started by the
 * server, queried by the admin port.
 */
@NullMarked
package io.weir.insight;

import org.jspecify.annotations.NullMarked;
