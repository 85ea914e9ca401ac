package io.weir.spring.method;

import io.weir.text.DidYouMean;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ReflectionUtils;

/** An expression over the arguments of a method, parsed and checked once. */
final class Expression {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final SpelExpression expression;
  private final Method method;

  private Expression(SpelExpression expression, Method method) {
    this.expression = expression;
    this.method = method;
  }

  /**
   * Parses an expression.
   *
   * @param type of the bean
   * @throws IllegalArgumentException if it is invalid, or refers to a parameter or property that
   *     does not exist
   */
  static Expression of(String text, Method method, Class<?> type) {
    SpelExpression read;
    try {
      read = PARSER.parseRaw(text);
    } catch (ParseException e) {
      throw new IllegalArgumentException("'" + text + "': " + e.getSimpleMessage(), e);
    }
    List<String> known = variables(method);
    for (String variable : variables(read.getAST(), new ArrayList<>())) {
      if (!known.contains(variable)) {
        throw new IllegalArgumentException(
            "'%s': there is no parameter '%s'%s".formatted(text, variable, hint(method, variable)));
      }
    }
    requireMarked(text, read.getAST(), method, type);
    return new Expression(read, method);
  }

  /** Rejects a parameter name without {@code #}, which would be a property of the bean. */
  private static void requireMarked(String text, SpelNode node, Method method, Class<?> type) {
    if (node instanceof PropertyOrFieldReference property
        && parameters(method).contains(property.getName())
        && !hasProperty(type, property.getName())) {
      throw new IllegalArgumentException(
          "'%s': the bean has no property '%s'; the parameter is '#%s'"
              .formatted(text, property.getName(), property.getName()));
    }
    for (int i = 0; i < ofTheBean(node); i++) {
      requireMarked(text, node.getChild(i), method, type);
    }
  }

  /** How many of its children, from the first on, refer to the bean and not to one another. */
  private static int ofTheBean(SpelNode node) {
    if (node instanceof CompoundExpression) {
      return 1;
    }
    boolean isOfParts =
        node instanceof Operator || node instanceof Ternary || node instanceof Elvis;
    return isOfParts ? node.getChildCount() : 0;
  }

  private static boolean hasProperty(Class<?> type, String name) {
    return BeanUtils.getPropertyDescriptor(type, name) != null
        || ReflectionUtils.findField(type, name) != null;
  }

  /** The names of a method's parameters; none if the compiler has left them out. */
  static List<String> parameters(Method method) {
    String[] names = NAMES.getParameterNames(method);
    return names == null ? List.of() : Arrays.asList(names);
  }

  private static String hint(Method method, String variable) {
    List<String> names = parameters(method);
    return names.isEmpty() && method.getParameterCount() > 0
        ? "; parameter names are not available: compile with -parameters, or write #p0"
        : DidYouMean.of(variable, names);
  }

  private static List<String> variables(Method method) {
    List<String> known = new ArrayList<>(parameters(method));
    known.addAll(List.of("root", "this"));
    for (int i = 0; i < method.getParameterCount(); i++) {
      known.add("p" + i);
      known.add("a" + i);
    }
    return known;
  }

  private static List<String> variables(SpelNode node, List<String> found) {
    if (node instanceof VariableReference) {
      found.add(node.toStringAST().substring(1));
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      variables(node.getChild(i), found);
    }
    return found;
  }

  /** The value for one call. */
  @Nullable Object value(@Nullable Object bean, @Nullable Object[] arguments) {
    return expression.getValue(context(bean, arguments));
  }

  @SuppressWarnings("NullAway") // a static method has no bean, and arguments may be null
  private MethodBasedEvaluationContext context(
      @Nullable Object bean, @Nullable Object[] arguments) {
    return new MethodBasedEvaluationContext(bean, method, arguments, NAMES);
  }

  @Override
  public String toString() {
    return expression.getExpressionString();
  }
}
