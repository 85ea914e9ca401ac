package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how often a method of a bean may be called.
 *
 * <pre>{@code
 * @RateLimited("export")                                  // a rule of the rules file
 * @RateLimited(limit = "5 per minute", per = "#user")     // a rule on the spot
 * Report export(String user) { ... }
 * }</pre>
 *
 * <p>A call that is refused throws {@link RateLimitExceededException}, which becomes the answer 429
 * that a filter would give; methods that return a {@code CompletionStage}, a {@code Mono} or a
 * {@code Flux} are decided without blocking, and fail by it. Several of them on one method hold
 * together: a call passes all, or spends nothing. On a class it is for all public methods that have
 * none of their own, which share it. May be used on annotations of your own.
 *
 * <p>Like all that Spring does by proxies: a method that a bean calls on itself is not limited. A
 * method that cannot be limited, because it is private, static or final, stops the start.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.All.class)
public @interface RateLimited {
  /**
   * The name of a rule of the rules file; {@code domain/name} where several domains have it. That
   * rule is then decided where the method is called, and no more by filters. What it is {@code per}
   * is taken from {@link #per}, or else from the method's parameters of the same names.
   */
  String value() default "";

  /**
   * A limit on the spot: {@code 5 per minute}, or all that a rules file may have there: {@code
   * {algorithm: sliding-log, rate: 5 per minute}}.
   */
  String limit() default "";

  /**
   * Who is counted apart: an expression of Spring's language over the method's arguments, such as
   * {@code #user}, {@code #order.customer} or {@code #p0}, or over the bean itself, such as {@code
   * tenant()}. Where a rule is per several attributes, a list: {@code {#tenant, #user}}. Nobody is
   * counted apart if it is empty. All calls for which it is null count as one caller's.
   */
  String per() default "";

  /** How many permits a call takes: an expression that is a number; 1 unless set. */
  String cost() default "";

  /**
   * What a limit on the spot is called in metrics, headers and the store; the names of class and
   * method unless set.
   */
  String name() default "";

  /**
   * A method of the same class that is called instead where a call is refused: with the same
   * parameters, and a {@link RateLimitExceededException} after them if it wants it.
   */
  String fallback() default "";

  /** Several of them. */
  @Documented
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @interface All {
    /** All of them. */
    RateLimited[] value();
  }
}
