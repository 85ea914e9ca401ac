/**
 * The conditions of rules, and an index that finds the matching rules without testing all of them.
 *
 * <p>Uses no other package of Weir. Used by the rules.
 */
@NullMarked
package io.weir.rules.match;

import org.jspecify.annotations.NullMarked;
