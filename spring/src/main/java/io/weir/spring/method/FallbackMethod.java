package io.weir.spring.method;

import io.weir.spring.RateLimitExceededException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** A method that is called instead of a refused one. */
record FallbackMethod(Method method, boolean takesException) {
  /**
   * The method called {@code name} that can replace {@code guarded}.
   *
   * @throws IllegalArgumentException if there is none
   */
  static FallbackMethod of(String name, Method guarded, Class<?> type) {
    Class<?>[] parameters = guarded.getParameterTypes();
    Class<?>[] withException = Arrays.copyOf(parameters, parameters.length + 1);
    withException[parameters.length] = RateLimitExceededException.class;
    Method found = ReflectionUtils.findMethod(type, name, withException);
    boolean takesException = found != null;
    if (found == null) {
      found = ReflectionUtils.findMethod(type, name, parameters);
    }
    if (found == null) {
      throw new IllegalArgumentException(
          ("fallback '%s': %s has no method of that name with the same parameters, or with a"
                  + " RateLimitExceededException after them")
              .formatted(name, type.getSimpleName()));
    }
    if (!ClassUtils.isAssignable(guarded.getReturnType(), found.getReturnType())) {
      throw new IllegalArgumentException(
          "fallback '%s' returns %s, but must return %s"
              .formatted(
                  name,
                  found.getReturnType().getSimpleName(),
                  guarded.getReturnType().getSimpleName()));
    }
    ReflectionUtils.makeAccessible(found);
    return new FallbackMethod(found, takesException);
  }

  @Nullable Object call(
      @Nullable Object bean, @Nullable Object[] arguments, RateLimitExceededException why)
      throws Throwable {
    @Nullable Object[] all =
        takesException ? Arrays.copyOf(arguments, arguments.length + 1) : arguments;
    if (takesException) {
      all[arguments.length] = why;
    }
    try {
      return method.invoke(bean, all);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
