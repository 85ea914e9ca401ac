package io.weir.spring.method;

import io.weir.Consistency;
import io.weir.rules.Policy;
import io.weir.runtime.Node;
import io.weir.spring.MisconfiguredException;
import io.weir.spring.RateLimited;
import io.weir.spring.WeirProperties;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Looks up the limits of methods. */
public final class RateLimitedMethods {
  private final Supplier<Node> node;
  private final Supplier<MethodRules> methods;
  private final Supplier<WeirProperties> properties;
  private final Map<MethodClassKey, Optional<RateLimitedMethod>> known = new ConcurrentHashMap<>();
  private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

  /** The suppliers are not called before the first annotation is found. */
  public RateLimitedMethods(
      Supplier<Node> node, Supplier<MethodRules> methods, Supplier<WeirProperties> properties) {
    this.node = node;
    this.methods = methods;
    this.properties = properties;
  }

  /** The limits of a method of a bean of this class; empty if it has none. */
  Optional<RateLimitedMethod> of(Method method, Class<?> type) {
    if (isForeign(type) && isForeign(method.getDeclaringClass())) {
      return Optional.empty();
    }
    Optional<RateLimitedMethod> before = known.get(new MethodClassKey(method, type));
    if (before != null) {
      return before;
    }
    Optional<RateLimitedMethod> read = read(method, type);
    known.put(new MethodClassKey(method, type), read);
    return read;
  }

  /** Skips Spring's own beans, which are the majority and have no annotation of ours. */
  private static boolean isForeign(Class<?> type) {
    String name = type.getName();
    return name.startsWith("java.")
        || (name.startsWith("org.springframework.")
            && !name.startsWith("org.springframework.samples."));
  }

  private Optional<RateLimitedMethod> read(Method called, Class<?> type) {
    if (called.getDeclaringClass() == Object.class) {
      return Optional.empty();
    }
    boolean isOfInterface = isMadeUp(type) && called.getDeclaringClass().isInterface();
    Class<?> user = isOfInterface ? called.getDeclaringClass() : ClassUtils.getUserClass(type);
    Method method = isOfInterface ? called : AopUtils.getMostSpecificMethod(called, user);
    Set<RateLimited> own = annotations(method);
    if (!own.isEmpty()) {
      return Optional.of(reader(method, user, false).read(own));
    }
    Set<RateLimited> ofClass =
        Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
            ? AnnotatedElementUtils.findMergedRepeatableAnnotations(user, RateLimited.class)
            : Set.of();
    return ofClass.isEmpty()
        ? Optional.empty()
        : Optional.of(reader(method, user, true).read(ofClass));
  }

  /** A generated class has no stable name, so the name of its interface is used. */
  private static boolean isMadeUp(Class<?> type) {
    return Proxy.isProxyClass(type) || type.isHidden() || isForeign(type);
  }

  private static Set<RateLimited> annotations(Method method) {
    return AnnotatedElementUtils.findMergedRepeatableAnnotations(method, RateLimited.class);
  }

  private RateLimitedMethodReader reader(Method method, Class<?> type, boolean isOfClass) {
    Policy policy =
        new Policy(Policy.Mode.ENFORCE, properties.get().failurePolicy(), Consistency.EXACT);
    return new RateLimitedMethodReader(node.get(), methods.get(), policy, method, type, isOfClass);
  }

  /**
   * Whether any method of a bean of this class is limited. Reads the annotations of each method.
   */
  boolean isGuarded(Class<?> type) {
    boolean isGuarded = false;
    for (Method method : isMadeUp(type) ? interfaceMethods(type) : methods(type)) {
      isGuarded |= !method.isSynthetic() && of(method, type).isPresent();
    }
    return isGuarded;
  }

  private static List<Method> interfaceMethods(Class<?> type) {
    return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
        .filter(each -> !isForeign(each))
        .flatMap(each -> Stream.of(each.getMethods()))
        .toList();
  }

  private static List<Method> methods(Class<?> type) {
    try {
      return List.of(ReflectionUtils.getUniqueDeclaredMethods(ClassUtils.getUserClass(type)));
    } catch (IllegalStateException e) {
      return List.of(); // the bean cannot be created either, since classes are missing
    }
  }

  /** Stops the start if a limited method cannot be proxied. */
  void requireProxyable(Class<?> type) {
    Class<?> user = ClassUtils.getUserClass(type);
    if (isForeign(user) || Proxy.isProxyClass(user) || !checked.add(user)) {
      return; // a JDK proxy can be wrapped by another
    }
    boolean isAnnotated =
        !AnnotatedElementUtils.findMergedRepeatableAnnotations(user, RateLimited.class).isEmpty();
    for (Method method : ReflectionUtils.getAllDeclaredMethods(user)) {
      if (!method.isSynthetic() && !annotations(method).isEmpty()) {
        isAnnotated = true;
        requireProxyable(method);
      }
    }
    if (isAnnotated && Modifier.isFinal(user.getModifiers()) && !user.isHidden()) {
      throw new MisconfiguredException(
          "@RateLimited on " + user.getName() + " would have no effect: the class is final.",
          "Make the class not final, so that Spring can create a proxy for it.");
    }
  }

  private static void requireProxyable(Method method) {
    int modifiers = method.getModifiers();
    String why =
        Modifier.isPrivate(modifiers)
            ? "private"
            : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : "";
    if (!why.isEmpty()) {
      throw new MisconfiguredException(
          "@RateLimited on %s.%s would have no effect: the method is %s."
              .formatted(method.getDeclaringClass().getName(), method.getName(), why),
          "Make the method neither private nor static nor final, so that Spring can proxy"
              + " it, or call a RateLimiter in it.");
    }
  }
}
