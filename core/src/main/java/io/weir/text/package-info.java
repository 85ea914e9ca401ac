/**
 * What the messages of all modules have in common.
 *
 * <p>Calls nobody. Called wherever people are told of a mistake; not for users of the library.
 */
@NullMarked
package io.weir.text;

import org.jspecify.annotations.NullMarked;
