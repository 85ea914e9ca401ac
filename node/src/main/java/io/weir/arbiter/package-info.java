/**
 * The one decision path of all fronts, what is counted on it, and where its rules come from.
 *
 * <p>Calls rules; is called by fronts, and by those who tell what was counted. Knows no network.
 */
@NullMarked
package io.weir.arbiter;

import org.jspecify.annotations.NullMarked;
