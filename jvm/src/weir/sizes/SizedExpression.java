package weir.sizes;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** An expression of ours over any number of others, which it computes itself, one after the other. */
abstract class SizedExpression extends Expression implements CodegenFallback, Serializable {
  private final Seq<Expression> children;
  private transient List<Expression> parts;

  SizedExpression(Seq<Expression> children) {
    this.children = children;
  }

  /** The same over others. */
  abstract Expression over(Seq<Expression> others);

  /** The expressions that it computes. */
  final List<Expression> parts() {
    if (parts == null) {
      parts = new ArrayList<>(CollectionConverters.asJava(children)); // by index, which a linked list is slow for
    }
    return parts;
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    return CodegenFallback.super.doGenCode(context, code);
  }

  @Override
  public Seq<Expression> children() {
    return children;
  }

  @Override
  public Expression withNewChildrenInternal(scala.collection.immutable.IndexedSeq<Expression> others) {
    return over(others);
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int at) {
    if (at != 0) {
      throw new IndexOutOfBoundsException(String.valueOf(at));
    }
    return children;
  }

  @Override
  public boolean canEqual(Object other) {
    return other != null && getClass() == other.getClass();
  }

  @Override
  public boolean equals(Object other) {
    return canEqual(other) && children.equals(((SizedExpression) other).children);
  }

  @Override
  public int hashCode() {
    return getClass().hashCode() * 31 + children.hashCode();
  }
}
