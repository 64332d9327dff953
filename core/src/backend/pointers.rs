//! Backends behind a pointer: what implements a trait may be borrowed, shared or owned by whoever uses it.

/// Implements a trait of backends for `&T`, `Arc<T>` and `Box<T>`. All methods are named here, the provided ones too:
/// one that is left out would answer with its default, whatever the backend says.
macro_rules! through_pointers {
    ($name:ident $body:tt) => {
        through_pointers! { @for [&T] $name $body }
        through_pointers! { @for [crate::sync::Arc<T>] $name $body }
        through_pointers! { @for [Box<T>] $name $body }
    };
    (@for [$pointer:ty] $name:ident {
        $(type $assoc:ident;)?
        $(fn $method:ident(&self $(, $argument:ident: $taken:ty)* $(,)?) $(-> $given:ty)?;)*
    }) => {
        impl<T: $name + ?Sized> $name for $pointer {
            $(type $assoc = T::$assoc;)?
            $(
                #[inline]
                fn $method(&self $(, $argument: $taken)*) $(-> $given)? {
                    (**self).$method($($argument),*)
                }
            )*
        }
    };
}
pub(crate) use through_pointers;
